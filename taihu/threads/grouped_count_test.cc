// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/grouped_count.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "taihu/base/random.h"

namespace taihu::threads {
namespace {

TEST(GroupedCount, KnowsTheLastOfEachRoundInAnyOrder) {
  Random random(1);
  for (const auto& [members, groups] : {std::pair{1, 1}, {2, 1}, {2, 2}, {7, 3}, {64, 2}, {64, 64}}) {
    GroupedCount count(members, groups);
    std::vector<int> order(static_cast<std::size_t>(members));
    std::iota(order.begin(), order.end(), 0);
    for (std::uint32_t round = 1; round <= 50; ++round) {
      for (std::size_t k = order.size(); k > 1; --k)
        std::swap(order[k - 1], order[static_cast<std::size_t>(random.below(k))]);
      for (std::size_t k = 0; k < order.size(); ++k) {
        EXPECT_EQ(count.missing(round), members - static_cast<int>(k));
        const bool is_last = count.arrive(GroupedCount::group_of(order[k], members, groups), round);
        EXPECT_EQ(is_last, k + 1 == order.size());
      }
      EXPECT_EQ(count.missing(round), 0);
    }
    count.restart();
    EXPECT_EQ(count.missing(1), members);
  }
}

}  // namespace
}  // namespace taihu::threads
