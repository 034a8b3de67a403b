// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/dynamic_loop.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <functional>
#include <thread>
#include <vector>

#include "taihu/base/random.h"
#include "taihu/threads/on_threads_for_tests.h"

namespace taihu::threads {
namespace {

class DynamicLoopSizes : public testing::TestWithParam<int> {};

TEST_P(DynamicLoopSizes, GiveEachIterationOnceWhenMembersLap) {
  const int members = GetParam();
  // Loops of very different lengths, the empty one included, and one member that is slow in some of them.
  std::vector<std::uint64_t> lengths;
  Random random(7);
  for (int i = 0; i < 100; ++i) lengths.push_back(i % 5 == 0 ? 0 : random.below(200));
  std::vector<std::vector<std::atomic<int>>> hits(lengths.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) hits[i] = std::vector<std::atomic<int>>(lengths[i]);
  DynamicLoops loops(members);
  on_threads(members, [&](int me) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      if (i % 13 == static_cast<std::size_t>(me)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      DynamicLoop loop = loops.begin(me, lengths[i]);
      Chunk chunk;
      while (loop.next(&chunk)) {
        for (std::uint64_t k = chunk.first; k < chunk.last; ++k) ++hits[i][k];
      }
    }
  });
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::uint64_t k = 0; k < lengths[i]; ++k)
      ASSERT_EQ(hits[i][k], 1) << "loop " << i << " iteration " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, DynamicLoopSizes, testing::Values(1, 2, 7, 64));

TEST(DynamicLoops, LetAMemberRunAheadAndMakeItWaitOnlyAtTheEndOfTheRing) {
  DynamicLoops loops(2);
  std::atomic<int> begun{0};
  std::thread fast([&] {
    for (int i = 0; i < 20; ++i) {
      DynamicLoop loop = loops.begin(0, 3);
      ++begun;
      Chunk chunk;
      while (loop.next(&chunk)) {
      }
    }
  });
  while (begun < static_cast<int>(DynamicLoops::ring_size)) sched_yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(begun, static_cast<int>(DynamicLoops::ring_size))
      << "loop 8 must wait for member 1 to end loop 0";
  for (int i = 0; i < 20; ++i) {
    DynamicLoop loop = loops.begin(1, 3);
    Chunk chunk;
    while (loop.next(&chunk)) {
    }
  }
  fast.join();
  EXPECT_EQ(begun, 20);
}

TEST(DynamicLoops, ShrinkTheChunksOfHugeLoops) {
  DynamicLoops loops(1);
  const std::uint64_t iterations = ~std::uint64_t{0};
  DynamicLoop loop = loops.begin(0, iterations);
  std::uint64_t expected = 0;
  std::uint64_t size = iterations;
  Chunk chunk;
  int chunks = 0;
  while (loop.next(&chunk)) {
    ASSERT_EQ(chunk.first, expected);
    ASSERT_LE(chunk.last - chunk.first, size);
    size = chunk.last - chunk.first;
    expected = chunk.last;
    ++chunks;
  }
  EXPECT_EQ(expected, iterations);
  EXPECT_EQ(size, 1u);
  EXPECT_LT(chunks, 100) << "half of the rest each time";
}

}  // namespace
}  // namespace taihu::threads
