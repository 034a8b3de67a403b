// SPDX-License-Identifier: Apache-2.0
// Ranks that start while others exchange messages.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "taihu/launch/layout.h"
#include "taihu/message/job_for_tests.h"

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

}  // namespace
}  // namespace taihu::message
