// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallel/loop.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "taihu/base/error.h"

namespace taihu::parallel {
namespace {

TEST(ParallelFor, CallsEveryIterationOnce) {
  for (const int threads : {1, 2, 3, 2 * static_cast<int>(std::thread::hardware_concurrency()) + 3}) {
    const Team team(threads);
    for (const char* text :
         {"static", "static,3", "dynamic", "dynamic,4", "guided", "guided,5", "dynamic,1000000"})
      for (const int count : {0, 1, 7, 64, 1001}) {
        std::vector<std::atomic<int>> calls(count);
        parallel_for(team, parse_loop_schedule(text), count, [&](int thread, std::int64_t i) {
          EXPECT_TRUE(0 <= thread && thread < threads);
          ++calls[i];
        });
        for (int i = 0; i < count; ++i) ASSERT_EQ(calls[i], 1) << text << " " << threads << " " << i;
      }
  }
}

/// The thread of each iteration when `threads` threads ask in turns.
std::vector<int> threads_in_turns(const char* schedule, std::int64_t count, int threads) {
  LoopShares shares(parse_loop_schedule(schedule), count, threads);
  std::vector<LoopShares::Range> ranges(threads);
  std::vector<int> result(count, -1);
  std::vector<bool> busy(threads, true);
  for (int left = threads; left > 0;)
    for (int thread = 0; thread < threads; ++thread) {
      if (!busy[thread]) continue;
      busy[thread] = shares.next(thread, ranges[thread]);
      if (!busy[thread])
        --left;
      else
        for (std::int64_t i = ranges[thread].begin; i < ranges[thread].end; ++i) result[i] = thread;
    }
  return result;
}

TEST(LoopShares, AreThoseOfOpenMp) {
  EXPECT_EQ(threads_in_turns("static", 5, 2), (std::vector{0, 0, 1, 1, 1}));
  EXPECT_EQ(threads_in_turns("static,2", 9, 2), (std::vector{0, 0, 1, 1, 0, 0, 1, 1, 0}));
  EXPECT_EQ(threads_in_turns("dynamic", 3, 2), (std::vector{0, 1, 0}));
  EXPECT_EQ(threads_in_turns("dynamic,2", 5, 3), (std::vector{0, 0, 1, 1, 2}));
  EXPECT_EQ(threads_in_turns("guided", 8, 2), (std::vector{0, 0, 0, 0, 1, 1, 0, 1}));
  EXPECT_EQ(threads_in_turns("guided,3", 8, 2), (std::vector{0, 0, 0, 0, 1, 1, 1, 0}));
}

TEST(ParallelFor, ThrowsAgainWhatTheBodyThrew) {
  const Team team(3);
  std::atomic<int> calls = 0;
  const auto body = [&](int, std::int64_t i) {
    ++calls;
    if (i == 50) throw std::length_error("50");
  };
  EXPECT_THROW(parallel_for(team, {.chunk = 1}, 100, body), std::length_error);
  EXPECT_EQ(calls, 100);
  EXPECT_THROW(parallel_for(Team(1), {}, 100, body), std::length_error);
}

TEST(LoopSchedule, OtherTextsAreRefused) {
  for (const char* text :
       {"", "dynamic,", "dynamic,0", "dynamic,-1", "guided,1x", "auto", "dynamic,99999999999"})
    EXPECT_THROW(parse_loop_schedule(text), UsageError) << text;
}

}  // namespace
}  // namespace taihu::parallel
