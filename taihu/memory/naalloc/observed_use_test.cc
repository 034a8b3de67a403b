// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/observed_use.h"

#include <gtest/gtest.h>

#include <random>

namespace taihu::memory {
namespace {

constexpr std::size_t block_bytes = 1 << 20;
const std::byte* const block = reinterpret_cast<const std::byte*>(std::uintptr_t{1} << 40);

/// `count` accesses at even distances; owner(place of 1) is their node, and their thread 10 times that.
template <typename Owner>
std::vector<ObservedUse> uses(std::size_t count, Owner owner) {
  std::vector<ObservedUse> result;
  for (std::size_t i = 0; i < count; ++i) {
    const int node = owner(static_cast<double>(i) / static_cast<double>(count));
    result.push_back({block + i * block_bytes / count, 10 * node, node});
  }
  return result;
}

TEST(ObservedUse, BoundariesAreFoundWhereTheUserChanges) {
  const double ends[] = {0.1, 0.45, 0.8, 1.0};
  const auto owner = [&](double place) {
    int node = 0;
    while (ends[node] <= place) ++node;
    return node;
  };
  const UsedParts parts = parts_of_use(block, block_bytes, uses(1000, owner));
  ASSERT_EQ(parts.part_end.size(), 4u);
  for (int part = 0; part < 4; ++part) {
    EXPECT_EQ(parts.node[part], part);
    EXPECT_EQ(parts.thread[part], 10 * part);
    EXPECT_NEAR(static_cast<double>(parts.part_end[part]), ends[part] * block_bytes, block_bytes / 500.0);
  }
  EXPECT_EQ(parts.part_end.back(), block_bytes);
}

TEST(ObservedUse, OneUserHasAll) {
  const UsedParts parts = parts_of_use(block, block_bytes, uses(least_uses, [](double) { return 3; }));
  EXPECT_EQ(parts.part_end, std::vector<std::size_t>{block_bytes});
  EXPECT_EQ(parts.node, std::vector<int>{3});
}

TEST(ObservedUse, FewAccessesTellNothing) {
  EXPECT_TRUE(parts_of_use(block, block_bytes, {}).part_end.empty());
  EXPECT_TRUE(
      parts_of_use(block, block_bytes, uses(least_uses - 1, [](double) { return 0; })).part_end.empty());
}

TEST(ObservedUse, SingleStrangersDoNotMakeParts) {
  std::vector<ObservedUse> seen = uses(400, [](double place) { return place < 0.5 ? 0 : 1; });
  for (std::size_t i = 10; i < seen.size(); i += 20) seen[i].node = 5;
  const UsedParts parts = parts_of_use(block, block_bytes, seen);
  EXPECT_EQ(parts.node, (std::vector<int>{0, 1}));
}

TEST(ObservedUse, AThreadThatGoesOverAllOwnsOnlyItsPart) {
  std::mt19937 random(3);
  const auto owner = [&](double place) { return random() % 4 == 0 ? 0 : static_cast<int>(4 * place); };
  const UsedParts parts = parts_of_use(block, block_bytes, uses(2000, owner));
  ASSERT_EQ(parts.node, (std::vector<int>{0, 1, 2, 3}));
  for (std::size_t part = 0; part < 4; ++part)
    EXPECT_NEAR(static_cast<double>(parts.part_end[part]), static_cast<double>((part + 1) * block_bytes / 4),
                block_bytes / 200.0);
}

TEST(ObservedUse, WhatAllUseHasNoOwner) {
  std::mt19937 random(7);
  for (const unsigned nodes : {2u, 4u, 8u})
    for (const std::size_t count : {100u, 1000u, 20000u}) {
      const auto owner = [&](double) { return static_cast<int>(random() % nodes); };
      EXPECT_TRUE(parts_of_use(block, block_bytes, uses(count, owner)).part_end.empty())
          << nodes << " " << count;
    }
}

TEST(ObservedUse, ManyAccessesAtOnePlaceAreNoParts) {
  std::vector<ObservedUse> seen;
  for (int i = 0; i < 100; ++i) seen.push_back({block + 64, i % 2, 0});
  EXPECT_EQ(parts_of_use(block, block_bytes, seen).part_end, std::vector<std::size_t>{block_bytes});
}

}  // namespace
}  // namespace taihu::memory
