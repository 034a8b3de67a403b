// SPDX-License-Identifier: Apache-2.0
// Ranks that start while others exchange messages.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "taihu/launch/layout.h"
#include "taihu/message/job_for_tests.h"
#include "taihu/message/tuning.h"

namespace taihu::message {
namespace {

void as_rank(Node& node, int local_index, const std::function<void(Endpoint&)>& program) {
  Endpoint& me = node.endpoint(local_index);
  memory::RankIdentity identity{me.rank(), local_index, nullptr};
  memory::set_current_rank(&identity);
  program(me);
  memory::set_current_rank(nullptr);
  end_program_on_failure();
}

/// Sends its number and one more to `peer`, short and long, and wants the same back.
void exchange(Endpoint& me, int peer) {
  for (const std::size_t numbers : {std::size_t{1}, std::size_t{20000}}) {
    const std::vector<int> mine(numbers, me.rank());
    std::vector<int> theirs(numbers, -1);
    Request* const receive = me.irecv(peer, user_context, 7, {theirs.data(), numbers * sizeof(int)});
    me.send(peer, user_context, 7, {mine.data(), numbers * sizeof(int)});
    me.wait(receive, nullptr);
    EXPECT_EQ(theirs, std::vector<int>(numbers, peer)) << "on rank " << me.rank();
  }
}

TEST(SpareRanks, StartOneAfterTheOther) {
  // More than one word of senders' bits.
  constexpr int first = 2, late = 70;
  for (const int processes : {1, 2}) {
    launch::Layout layout = layout_for_tests(first, processes);
    launch::add_spare_ranks(layout, late + 1000);
    LoopbackHub hub(processes, 32767);
    std::vector<std::unique_ptr<Node>> nodes;
    for (int process = 0; process < processes; ++process)
      nodes.push_back(Node::create(
          layout, processes == 1 ? nullptr : std::make_unique<LoopbackLink>(hub, process), nullptr));
    Node& last = *nodes.back();
    EXPECT_EQ(last.local_ranks(), first / processes);
    std::atomic<int> known{first};
    const auto meets_all = [&known](Endpoint& me) {
      exchange(me, 1 - me.rank());
      for (int rank = first; rank < first + late; ++rank) {
        while (known <= rank) std::this_thread::yield();
        exchange(me, rank);
      }
    };
    std::thread rank_0([&] { as_rank(*nodes.front(), 0, meets_all); });
    std::thread rank_1([&, index = last.local_ranks() - 1] { as_rank(last, index, meets_all); });
    std::vector<std::thread> started;
    for (int k = 0; k < late; ++k) {
      const int local_index = last.local_ranks();
      last.add_rank(local_index);
      ++known;
      started.emplace_back([&last, local_index] {
        as_rank(last, local_index, [](Endpoint& me) {
          exchange(me, 0);
          exchange(me, 1);
        });
      });
    }
    for (std::thread& rank : started) rank.join();
    rank_0.join();
    rank_1.join();
    EXPECT_EQ(last.local_ranks(), first / processes + late);
    std::vector<std::thread> ends;
    for (auto& node : nodes) ends.emplace_back([&node] { node->finish(); });
    for (std::thread& end : ends) end.join();
  }
}

/// Sends a message of each length from the rank with local index `from` to that of `to`.
void send_and_receive(Node& node, int from, int to, const std::vector<std::size_t>& lengths) {
  std::thread sender([&] {
    as_rank(node, from, [&](Endpoint& me) {
      for (const std::size_t bytes : lengths) {
        const std::vector<char> data(bytes, 'x');
        me.send(to, user_context, 3, data.data(), bytes);
      }
    });
  });
  as_rank(node, to, [&](Endpoint& me) {
    for (const std::size_t bytes : lengths) {
      std::vector<char> data(bytes);
      EXPECT_EQ(me.receive(from, user_context, 3, data.data(), bytes).bytes, bytes);
      EXPECT_EQ(data, std::vector<char>(bytes, 'x'));
    }
  });
  sender.join();
}

TEST(SpareRanks, AreReckonedWithWhereSizesDependOnThem) {
  launch::Layout layout = layout_for_tests(1, 1);
  launch::add_spare_ranks(layout, 200);
  const auto node = Node::create(layout, nullptr, nullptr);
  const Tuning before = tuning_of(*node);
  node->add_rank(1);
  send_and_receive(*node, 0, 1, {before.eager_bytes});
  for (int rank = 2; rank <= 200; ++rank) node->add_rank(rank);
  const auto nothing = [](const char*) -> const char* { return nullptr; };
  EXPECT_EQ(tuning_of(*node), tuning_for(201, Cores::crowded, nothing));
  EXPECT_LT(tuning_of(*node).ring_lines, before.ring_lines);
  // Through rings of before and of now.
  send_and_receive(*node, 0, 1, {tuning_of(*node).eager_bytes, before.eager_bytes, 100'000});
  send_and_receive(*node, 0, 150, {tuning_of(*node).eager_bytes, before.eager_bytes, 100'000});
  // Who has ended does not crowd the others; rings stay as small as they had to be.
  for (int rank = 1; rank <= 200; ++rank) EXPECT_TRUE(node->remove_rank(rank));
  EXPECT_EQ(node->local_ranks(), 1);
  EXPECT_EQ(tuning_of(*node).cores, before.cores);
  EXPECT_EQ(tuning_of(*node).shared_copy_bytes, before.shared_copy_bytes);
  EXPECT_EQ(tuning_of(*node).ring_lines, tuning_for(201, before.cores, nothing).ring_lines);
  node->finish();
}

TEST(SpareRanks, CrowdTheOtherProcessesOfTheirNode) {
  for (const bool on_one_node : {true, false}) {
    launch::Layout layout = layout_for_tests(2, 2);
    if (!on_one_node) layout.node_of_process[1] = 1;
    const int more = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)) + 1;
    launch::add_spare_ranks(layout, more);
    LoopbackHub hub(2, 32767);
    const auto first = Node::create(layout, std::make_unique<LoopbackLink>(hub, 0), nullptr);
    const auto last = Node::create(layout, std::make_unique<LoopbackLink>(hub, 1), nullptr);
    first->serve(Service::job, [](const std::shared_ptr<ServiceCall>& call) { call->answer(nullptr, 0); });
    const Tuning before = tuning_of(*first);
    for (int k = 0; k < more; ++k) last->add_rank(1 + k);
    EXPECT_EQ(tuning_of(*last).cores, Cores::crowded);
    if (on_one_node) {
      while (tuning_of(*first).cores != Cores::crowded) std::this_thread::yield();
    } else {
      // What it has been told before this call has come, too.
      last->call(0, Service::job, nullptr, 0);
      EXPECT_EQ(tuning_of(*first), before);
    }
    for (int k = 0; k < more; ++k) EXPECT_TRUE(last->remove_rank(1 + k));
    while (tuning_of(*first).cores != before.cores) std::this_thread::yield();
    std::thread end([&] { first->finish(); });
    last->finish();
    end.join();
  }
}

TEST(SpareRanks, APlaceIsFreeWhenNothingOfItsRankIsUnderWay) {
  launch::Layout layout = layout_for_tests(1, 1);
  launch::add_spare_ranks(layout, 3);
  const auto node = Node::create(layout, nullptr, nullptr);
  for (int rank = 1; rank <= 3; ++rank) node->add_rank(rank);
  const int value = 7;
  int got = 0;
  // One that was not received, to the rank itself: the next rank must not see it.
  as_rank(*node, 1, [&](Endpoint& me) { me.send(1, user_context, 5, &value, sizeof value); });
  EXPECT_TRUE(node->remove_rank(1));
  Request* unfinished = nullptr;
  as_rank(*node, 2, [&](Endpoint& me) { unfinished = me.irecv(0, user_context, 5, &got, sizeof got); });
  EXPECT_FALSE(node->remove_rank(2)) << "a receive is posted";
  Request* waited_for = nullptr;
  as_rank(*node, 0, [&](Endpoint& me) {
    waited_for = me.isend(3, user_context, 5, Data{&value, sizeof value}, SendMode::synchronous);
  });
  EXPECT_FALSE(node->remove_rank(3)) << "a send waits for its match";
  EXPECT_EQ(node->local_ranks(), 1);

  node->add_rank(1);
  EXPECT_EQ(node->local_ranks(), 2);
  as_rank(*node, 1, [&](Endpoint& me) {
    Status status;
    EXPECT_FALSE(me.iprobe(any_rank, user_context, any_tag, &status));
  });
  send_and_receive(*node, 0, 1, {8, 1000, 100'000});
  as_rank(*node, 2, [&](Endpoint& me) {
    me.cancel(unfinished);
    me.wait(unfinished, nullptr);
  });
  as_rank(*node, 0, [&](Endpoint& me) {
    me.cancel(waited_for);
    me.wait(waited_for, nullptr);
  });
  node->finish();
}

}  // namespace
}  // namespace taihu::message
