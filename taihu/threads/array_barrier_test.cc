// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/array_barrier.h"

#include <gtest/gtest.h>

#include <vector>

#include "taihu/base/random.h"
#include "taihu/threads/on_threads_for_tests.h"
#include "taihu/threads/rendezvous.h"

namespace taihu::threads {
namespace {

class ArrayBarriers : public testing::TestWithParam<int> {};

TEST_P(ArrayBarriers, SeparatePhases) {
  const int members = GetParam();
  const int phases = members > 8 ? 60 : 1000;
  ArrayBarrier barrier(members);
  std::vector<int> written(static_cast<std::size_t>(members), -1);  // plain: the barrier must order it
  std::atomic<int> wrong{0};
  on_threads(members, [&](int me) {
    for (int phase = 0; phase < phases; ++phase) {
      written[static_cast<std::size_t>(me)] = phase;
      barrier.wait();
      for (const int value : written) wrong += value != phase;
      barrier.wait();
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(barrier.epoch(), static_cast<std::uint32_t>(2 * phases));
}

TEST_P(ArrayBarriers, LetTheLastActForAll) {
  const int members = GetParam();
  const int phases = members > 8 ? 60 : 1000;
  ArrayBarrier barrier(members);
  int actions = 0;  // plain: the barrier must order it
  std::atomic<int> wrong{0};
  on_threads(members, [&](int) {
    for (int phase = 1; phase <= phases; ++phase) {
      barrier.wait_and_then([&] { ++actions; });
      wrong += actions != phase;
      barrier.wait();
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(ArrayBarriers, SharePointersOfChangingRoots) {
  const int members = GetParam();
  const int rounds = members > 8 ? 60 : 1000;
  Rendezvous rendezvous(members);
  std::vector<int> values(static_cast<std::size_t>(members * rounds));
  std::atomic<int> wrong{0};
  on_threads(members, [&](int me) {
    for (int round = 0; round < rounds; ++round) {
      int& mine = values[static_cast<std::size_t>(round * members + me)];
      mine = round * 1000 + me;
      const int root = round % members;
      const void* shared = rendezvous.share(me, root, &mine);
      wrong += *static_cast<const int*>(shared) != round * 1000 + root;
    }
  });
  EXPECT_EQ(wrong, 0);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ArrayBarriers, testing::Values(1, 2, 7, 64));

}  // namespace
}  // namespace taihu::threads
