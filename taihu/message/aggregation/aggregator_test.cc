// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/aggregation/aggregator.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <numeric>
#include <thread>

#include "taihu/base/random.h"
#include "taihu/message/job_for_tests.h"
#include "taihu/message/traffic_for_tests.h"

namespace taihu::message {
namespace {

constexpr int aggregating_ranks = 3;
constexpr std::size_t bins = 1000;
constexpr std::size_t slices_offset = bins * sizeof(std::int64_t);
constexpr std::size_t slice_bytes = 100'000;  // that each rank writes at each other

std::size_t slice_of(int writer) {
  return slices_offset + static_cast<std::size_t>(writer) * slice_bytes;
}

/// The parameter is the number of node processes.
class Aggregation : public testing::TestWithParam<int> {
 protected:
  Aggregation() {
    for (int process = 0; process < GetParam(); ++process)
      serve_aggregators(job_.node(process), job_.symmetric(process));
  }
  const memory::SymmetricMap& symmetric_of(int rank) {
    return job_.symmetric(job_.layout().process_of(rank));
  }
  std::int64_t* bins_of(int rank) { return reinterpret_cast<std::int64_t*>(job_.segment(rank)); }

  JobForTests job_{GetParam(), aggregating_ranks, slice_of(aggregating_ranks)};
};
INSTANTIATE_TEST_SUITE_P(Processes, Aggregation, testing::Values(1, 2, 3));

TEST_P(Aggregation, AddsOfAllRanksAreCounted) {
  constexpr int additions = 20'000;
  job_.run([&](Endpoint& me) {
    Aggregator aggregator(me, symmetric_of(me.rank()), Aggregator::usual_buffer_bytes);
    Random random(static_cast<unsigned>(me.rank()));
    for (int i = 0; i < additions; ++i) {
      const auto target = static_cast<int>(random.below(aggregating_ranks));
      aggregator.add(target, {0, random.below(bins) * 8}, i % 5 - 1, nullptr);
    }
    aggregator.flush();
    // 24 bytes each, and some 16 KB at once.
    if (GetParam() > 1) {
      EXPECT_LT(aggregator.buffers_sent(), 60U);
    }
  });
  std::array<std::vector<std::int64_t>, aggregating_ranks> expected;
  expected.fill(std::vector<std::int64_t>(bins));
  for (unsigned rank = 0; rank < aggregating_ranks; ++rank) {
    Random random(rank);
    for (int i = 0; i < additions; ++i) {
      auto& target = expected[random.below(aggregating_ranks)];
      target[random.below(bins)] += i % 5 - 1;
    }
  }
  for (int rank = 0; rank < aggregating_ranks; ++rank)
    EXPECT_TRUE(std::equal(expected[static_cast<unsigned>(rank)].begin(),
                           expected[static_cast<unsigned>(rank)].end(), bins_of(rank)));
}

TEST_P(Aggregation, FetchedNumbersAreEachHandedOutOnce) {
  constexpr int tickets = 3'000;
  std::array<std::vector<std::int64_t>, aggregating_ranks> got;
  job_.run([&](Endpoint& me) {
    Aggregator aggregator(me, symmetric_of(me.rank()), 1000);
    auto& mine = got[static_cast<unsigned>(me.rank())];
    mine.resize(tickets);
    for (int i = 0; i < tickets; ++i) aggregator.add(0, {0, 16}, 1, &mine[static_cast<unsigned>(i)]);
    aggregator.flush();
  });
  std::vector<std::int64_t> all;
  for (const auto& mine : got) all.insert(all.end(), mine.begin(), mine.end());
  std::sort(all.begin(), all.end());
  std::vector<std::int64_t> expected(aggregating_ranks * tickets);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
}

// Random puts and gets of all sizes in a slice of one's own at every target, against a model.
TEST_P(Aggregation, PutsAndGetsAgreeWithAModel) {
  for (const std::size_t buffer_bytes : {Aggregator::least_buffer_bytes, Aggregator::usual_buffer_bytes}) {
    job_.run_ranks([&](Endpoint& me) {
      Aggregator aggregator(me, symmetric_of(me.rank()), buffer_bytes);
      Random random(buffer_bytes + static_cast<unsigned>(me.rank()));
      std::array<std::vector<std::byte>, aggregating_ranks> model;
      for (int target = 0; target < aggregating_ranks; ++target) {
        const std::byte* memory = job_.segment(target) + slice_of(me.rank());
        model[static_cast<unsigned>(target)].assign(memory, memory + slice_bytes);
      }
      const std::size_t most[] = {1, 9, 64, 300, 20'000};
      for (int round = 0; round < 20; ++round) {
        std::size_t at = 0;  // puts between two flushes are in no order
        for (int i = 0; i < 30; ++i) {
          std::vector<std::byte> data(random.below(most[random.below(5)] + 1));
          fill_pattern(data.data(), data.size(), random.next());
          if (at + data.size() > slice_bytes) break;
          const auto target = random.below(aggregating_ranks);
          aggregator.put(static_cast<int>(target), data.data(), {0, slice_of(me.rank()) + at}, data.size());
          std::copy(data.begin(), data.end(), model[target].begin() + static_cast<std::ptrdiff_t>(at));
          at += data.size();
          std::fill(data.begin(), data.end(), std::byte{0xee});  // taken already
        }
        aggregator.flush();
        std::vector<std::vector<std::byte>> got, expected;
        for (int i = 0; i < 30; ++i) {
          const auto from = random.below(aggregating_ranks);
          const std::size_t bytes = random.below(most[random.below(5)] + 1),
                            place = random.below(slice_bytes - bytes);
          const std::byte* known = model[from].data() + place;
          expected.emplace_back(known, known + bytes);
          got.emplace_back(bytes);
          aggregator.get(static_cast<int>(from), {0, slice_of(me.rank()) + place}, got.back().data(), bytes);
        }
        aggregator.flush();
        EXPECT_TRUE(got == expected) << "rank " << me.rank() << ", round " << round;
      }
    });
  }
  job_.finish();
}

// What is in the buffers leaves when the rank waits for something else.
TEST_P(Aggregation, SendAllNeedsNoFlush) {
  job_.run([&](Endpoint& me) {
    if (me.rank() == 0) {
      Aggregator aggregator(me, symmetric_of(0), Aggregator::usual_buffer_bytes);
      aggregator.add(2, {0, 8}, 5, nullptr);
      aggregator.send_all();
      char token;
      me.receive(2, user_context, 0, &token, 1);
      aggregator.flush();
    } else if (me.rank() == 2) {
      me.wait_until([&] { return std::atomic_ref(bins_of(2)[1]).load(std::memory_order_acquire) == 5; });
      me.send(0, user_context, 0, "", 1);
    }
  });
}

// What is in the buffers leaves also when the rank does nothing but compute, and a fetched number comes.
TEST_P(Aggregation, AgedBuffersLeaveWhileTheirRankComputes) {
  std::atomic<bool> has_come{false};
  std::int64_t former = -1;
  std::mutex looking;  // guards the aggregator that is open
  Aggregator* open = nullptr;
  job_.run([&](Endpoint& me) {
    if (me.rank() == 0) {
      Aggregator aggregator(me, symmetric_of(0), Aggregator::usual_buffer_bytes);
      open = &aggregator;
      look_now_and_then(me.node(), [&] {
        const std::lock_guard hold(looking);
        if (open != nullptr) open->send_aged();
      });
      aggregator.add(2, {0, 8}, 5, nullptr);
      aggregator.add(2, {0, 24}, 7, &former);
      while (!has_come.load()) std::this_thread::yield();
      if (GetParam() > 1) {
        EXPECT_EQ(aggregator.buffers_sent(), 1U);
      }
      const std::lock_guard hold(looking);
      open = nullptr;
      aggregator.flush();
    } else if (me.rank() == 2) {
      me.wait_until([&] { return std::atomic_ref(bins_of(2)[3]).load(std::memory_order_acquire) == 7; });
      EXPECT_EQ(bins_of(2)[1], 5);
      has_come.store(true);
    }
  });
  EXPECT_EQ(former, 0);
}

// The end does not wait for what a program has forgotten, whether the progress thread has seen it or not.
TEST_P(Aggregation, WhatIsNeverFlushedDoesNotHoldUpTheEnd) {
  Aggregator aggregator(job_.endpoint(0), symmetric_of(0), Aggregator::usual_buffer_bytes);
  look_now_and_then(job_.node(0), [&] { aggregator.send_aged(); });
  aggregator.add(2, {0, 8}, 5, nullptr);
  job_.finish();
  EXPECT_LE(bins_of(2)[1], 5);
}

// One that is used all the time sends what fills up, and what grows old in buffers for others.
TEST_P(Aggregation, AgesCountForEachNodeProcess) {
  if (GetParam() == 1) return;  // nothing waits there
  Aggregator aggregator(job_.endpoint(0), symmetric_of(0), Aggregator::least_buffer_bytes);
  aggregator.add(2, {0, 8}, 5, nullptr);
  aggregator.send_aged();
  EXPECT_EQ(aggregator.buffers_sent(), 0U) << "it is young";
  aggregator.send_aged();
  EXPECT_EQ(aggregator.buffers_sent(), 1U);
  aggregator.send_aged();
  EXPECT_EQ(aggregator.buffers_sent(), 1U) << "it is empty";
  aggregator.add(2, {0, 8}, 5, nullptr);
  aggregator.send_aged();
  aggregator.send_all();
  aggregator.add(2, {0, 8}, 5, nullptr);
  aggregator.send_aged();
  EXPECT_EQ(aggregator.buffers_sent(), 2U) << "what is there now is younger";
  aggregator.flush();
  EXPECT_EQ(bins_of(2)[1], 15);
  job_.finish();
}

// Ranks whose memory the caller has changed itself learn of it with the buffers, also where only a record can
// tell them.
TEST(TellLater, WakesAtEachFlush) {
  for (const bool shares_memory : {false, true}) {
    JobForTests job(2, 2, 64, 32767, shares_memory);
    for (int process = 0; process < 2; ++process)
      serve_aggregators(job.node(process), job.symmetric(process));
    const std::atomic_ref number(*reinterpret_cast<std::int64_t*>(job.segment(1)));
    constexpr int rounds = 40;
    job.run([&](Endpoint& me) {
      Aggregator aggregator(me, job.symmetric(me.rank()), Aggregator::usual_buffer_bytes);
      for (int round = 1; round <= rounds; ++round) {
        if (me.rank() == 0) {
          number.store(round, std::memory_order_release);
          aggregator.tell_later(1);
          aggregator.tell_later(1);
          aggregator.flush();
          await_signal(me);
        } else {
          me.wait_until([&] { return number.load(std::memory_order_acquire) == round; });
          signal(me);
        }
      }
      if (me.rank() == 0 && !shares_memory) {
        EXPECT_EQ(aggregator.buffers_sent(), static_cast<unsigned>(rounds));
      }
      if (me.rank() == 0 && shares_memory) {
        EXPECT_LT(aggregator.buffers_sent(), static_cast<unsigned>(rounds));
      }
    });
  }
}

TEST(TellLater, IsDoneWhenItGrowsOldAndAfterManyChanges) {
  JobForTests job(2, 2, 64);
  for (int process = 0; process < 2; ++process) serve_aggregators(job.node(process), job.symmetric(process));
  Aggregator aggregator(job.endpoint(0), job.symmetric(0), Aggregator::least_buffer_bytes);
  aggregator.tell_later(1);
  aggregator.send_aged();
  EXPECT_EQ(aggregator.buffers_sent(), 0U) << "it is young";
  aggregator.send_aged();
  EXPECT_EQ(aggregator.buffers_sent(), 1U);
  aggregator.send_aged();
  EXPECT_EQ(aggregator.buffers_sent(), 1U) << "there is nothing to tell";
  for (int change = 0; change < 10'000; ++change) aggregator.tell_later(1);
  EXPECT_GT(aggregator.buffers_sent(), 5U);
  EXPECT_LT(aggregator.buffers_sent(), 100U);
  aggregator.flush();
  const std::uint64_t sent = aggregator.buffers_sent();
  aggregator.flush();
  EXPECT_EQ(aggregator.buffers_sent(), sent);
  job.finish();
}

}  // namespace
}  // namespace taihu::message
