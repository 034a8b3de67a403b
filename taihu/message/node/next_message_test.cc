// SPDX-License-Identifier: Apache-2.0
// Blocking receives of what another node process of the machine sends next, which need no matching, among
// others that do: two node processes of the test program with real shared memory between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "taihu/base/end_on_failure_for_tests.h"
#include "taihu/base/random.h"
#include "taihu/base/sanitized_for_tests.h"
#include "taihu/message/job_for_tests.h"
#include "taihu/message/links/shared_link.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

/// Runs `program` as every rank of two node processes.
void run_over_shared_memory(int ranks, SharedMemory wanted,
                            const std::function<void(Endpoint& endpoint)>& program) {
  const launch::Layout layout = layout_for_tests(ranks, 2);
  LoopbackHub hub(2);
  std::vector<std::thread> processes;
  for (int process = 0; process < 2; ++process) {
    processes.emplace_back([&, process] {
      auto node =
          Node::create(layout, share_memory(std::make_unique<LoopbackLink>(hub, process), wanted), nullptr);
      EXPECT_TRUE(node->shares_memory_with(1 - process));
      std::vector<std::thread> threads;
      for (int local = 0; local < node->local_ranks(); ++local)
        threads.emplace_back([&, local] { program(node->endpoint(local)); });
      for (std::thread& thread : threads) thread.join();
      node->finish();
      end_program_on_failure();
    });
  }
  for (std::thread& process : processes) process.join();
}

constexpr std::array<std::size_t, 14> sizes{0, 1, 8, 24, 25, 56, 64, 488, 489, 3000, 4096, 6000, 9000, 16384};
const StridedLayout gaps{5, 7};

/// What both sides draw alike.
struct Batch {
  explicit Batch(Random& random) {
    messages.resize(1 + random.below(3));
    for (std::size_t k = 0; k < messages.size(); ++k) {
      messages[k] = {static_cast<int>(k), sizes[random.below(sizes.size())], random.next()};
      order.push_back(k);
    }
    for (std::size_t k = order.size(); random.below(2) == 0 && k > 1; --k)
      std::swap(order[k - 1], order[random.below(k)]);
  }
  struct Message {
    int tag;
    std::size_t bytes;
    std::uint64_t seed;
  };
  std::vector<Message> messages;
  std::vector<std::size_t> order;  ///< in which they are received
};

class Partner {
 public:
  Partner(Endpoint& me, int other) : me_(me), other_(other), own_(static_cast<unsigned>(me.rank())) {}

  /// `mode`: of a message alone, whose receive nothing else holds up.
  void send(const Batch& batch, SendMode mode) {
    for (const Batch::Message& message : batch.messages) {
      std::vector<std::byte> data(message.bytes);
      fill_pattern(data.data(), data.size(), message.seed);
      const Data all{data.data(), data.size()};
      if (own_.below(2) == 0 && mode == SendMode::standard &&
          me_.send_at_once(other_, context, message.tag, all, Flow::both_ways))
        continue;
      me_.send(other_, context, message.tag, all, batch.messages.size() == 1 ? mode : SendMode::standard);
    }
  }

  void receive(const Batch& batch) {
    // Another one that waits keeps those behind it from the short way.
    Request* const posted = own_.below(4) == 0 ? me_.irecv(other_, context, other_tag, nullptr, 0) : nullptr;
    for (const std::size_t k : batch.order) receive(batch.messages[k], batch.messages.size() == 1);
    if (posted == nullptr) return;
    me_.cancel(posted);
    me_.wait(posted, nullptr);
  }

 private:
  static constexpr Context context = Context{9} << 33;
  static constexpr int other_tag = 77;

  void receive(const Batch::Message& message, bool is_alone) {
    const bool is_cut = own_.below(6) == 0, has_gaps = own_.below(4) == 0;
    const std::size_t room = is_cut ? message.bytes / 2 : message.bytes + own_.below(3);
    std::vector<std::byte> memory(gaps.extent(room) + 1, std::byte{0x5a});
    Status status;
    me_.receive(other_, context, is_alone && own_.below(4) == 0 ? any_tag : message.tag,
                Space{memory.data(), room, has_gaps ? &gaps : nullptr}, &status);
    EXPECT_EQ(status.source, other_);
    EXPECT_EQ(status.tag, message.tag);
    EXPECT_EQ(status.bytes, message.bytes);
    EXPECT_EQ(status.error, room < message.bytes ? Error::truncated : Error::none);
    const std::size_t got = std::min(room, message.bytes);
    for (std::size_t k = 0; k < got; ++k) {
      if (memory[has_gaps ? gaps.place(k) : k] == pattern_byte(message.seed, k)) continue;
      ADD_FAILURE() << "byte " << k << " of " << message.bytes;
      break;
    }
    EXPECT_EQ(memory.back(), std::byte{0x5a}) << "nothing is written behind the buffer";
  }

  Endpoint& me_;
  const int other_;
  Random own_;
};

void exchange_batches(int ranks, SharedMemory wanted, int turns) {
  run_over_shared_memory(ranks, wanted, [&](Endpoint& me) {
    const int pairs = ranks / 2;
    const bool is_first = me.rank() < pairs;
    Partner partner(me, is_first ? me.rank() + pairs : me.rank() - pairs);
    Random common(static_cast<unsigned>(is_first ? me.rank() : me.rank() - pairs));
    for (int turn = 0; turn < turns; ++turn) {
      const Batch there(common), back(common);
      // In turns, or both at the same time.
      const bool is_together = common.below(3) == 0;
      const SendMode mode = !is_together && common.below(4) == 0 ? SendMode::synchronous : SendMode::standard;
      if (is_first || is_together) partner.send(is_first ? there : back, mode);
      partner.receive(is_first ? back : there);
      if (!is_first && !is_together) partner.send(back, mode);
    }
  });
}

TEST(NextMessage, IsReceivedWithoutMatchingOnlyWhereItIsTheOneWanted) {
  constexpr int turns = plain_or_sanitized(4000, 400);
  exchange_batches(2, SharedMemory::full, turns);
  exchange_batches(2, SharedMemory::copy, turns / 4);
}

TEST(NextMessage, BothWaysLongOnesLeaveAtOnceToo) {
  run_over_shared_memory(2, SharedMemory::full, [&](Endpoint& me) {
    std::vector<std::byte> sent(16384), got(sent.size());
    fill_pattern(sent.data(), sent.size(), static_cast<unsigned>(me.rank()));
    const Data data{sent.data(), sent.size()};
    bool has_left = false;
    // Another thread may use the link just now.
    for (int look = 0; look < 1000 && !has_left; ++look) {
      has_left = me.send_at_once(1 - me.rank(), user_context, 0, data, Flow::both_ways);
      if (!has_left) me.progress();
    }
    EXPECT_TRUE(has_left);
    EXPECT_EQ(me.receive(1 - me.rank(), user_context, 0, got.data(), got.size()).bytes, got.size());
    EXPECT_TRUE(has_pattern(got.data(), got.size(), static_cast<unsigned>(1 - me.rank())));
  });
}

TEST(NextMessage, RanksThatShareANodeProcessLookInTurns) {
  exchange_batches(4, SharedMemory::full, plain_or_sanitized(400, 60));
}

TEST(NextMessage, MixedTrafficKeepsMpiRules) {
  for (const int ranks : {2, 5}) {
    std::mutex lock;
    run_over_shared_memory(ranks, SharedMemory::full, [&](Endpoint& endpoint) {
      const std::vector<std::size_t> mixed{0, 8, 64, 1000, 1025, 16383, 16384, 16385, 65537};
      const std::string problem = TrafficRank(endpoint, {31, ranks, 150, mixed}).run();
      const std::lock_guard hold(lock);
      EXPECT_EQ(problem, "") << ranks << " ranks";
    });
  }
}

}  // namespace
}  // namespace taihu::message
