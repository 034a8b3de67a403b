// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/aggregation/aggregator.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <numeric>

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
    if (GetParam() > 1) EXPECT_LT(aggregator.buffers_sent(), 60U);
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

}  // namespace
}  // namespace taihu::message
