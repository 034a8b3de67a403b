// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/offset_allocator.h"

#include <gtest/gtest.h>

#include <map>

#include "taihu/base/random.h"

namespace taihu::memory {
namespace {

TEST(OffsetAllocator, GivesAlignedBlocksAndNothingWhenFull) {
  OffsetAllocator blocks(256);
  EXPECT_EQ(blocks.allocate(0), 0u);
  EXPECT_EQ(blocks.allocate(1), 64u);
  EXPECT_EQ(blocks.allocate(65), 128u);
  EXPECT_EQ(blocks.allocate(0), std::nullopt);
  EXPECT_EQ(blocks.free_bytes(), 0u);
  EXPECT_TRUE(blocks.release(64));
  EXPECT_FALSE(blocks.release(64)) << "released twice";
  EXPECT_FALSE(blocks.release(129)) << "not the begin of a block";
  EXPECT_EQ(blocks.allocate(65), std::nullopt);
  EXPECT_EQ(blocks.allocate(64), 64u);
}

TEST(OffsetAllocator, RefusesHugeSizesWithoutOverflow) {
  OffsetAllocator blocks(1 << 20);
  EXPECT_EQ(blocks.allocate(~std::uint64_t{0}), std::nullopt);
  EXPECT_EQ(blocks.allocate((1 << 20) + 1), std::nullopt);
  EXPECT_EQ(blocks.allocate(1 << 20), 0u);
  EXPECT_EQ(OffsetAllocator(0).allocate(0), std::nullopt);
  EXPECT_EQ(OffsetAllocator(63).allocate(1), std::nullopt);
}

TEST(OffsetAllocator, JoinsGapsAgain) {
  OffsetAllocator blocks(64 * 6);
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(blocks.allocate(64));
  for (const std::uint64_t offset : {64u, 192u, 128u, 0u, 320u, 256u}) ASSERT_TRUE(blocks.release(offset));
  EXPECT_EQ(blocks.largest_gap_bytes(), 64u * 6);
}

TEST(OffsetAllocator, KeepsBlocksApartUnderRandomUse) {
  OffsetAllocator blocks(1 << 16), twin(1 << 16);
  std::map<std::uint64_t, std::uint64_t> live;
  Random random(3);
  for (int i = 0; i < 20000; ++i) {
    if (live.empty() || random.below(3) != 0) {
      const std::uint64_t bytes = random.below(3000);
      const auto offset = blocks.allocate(bytes);
      ASSERT_EQ(offset, twin.allocate(bytes)) << "the same calls give the same offsets";
      if (!offset) continue;
      const auto next = live.lower_bound(*offset);
      if (next != live.end()) {
        ASSERT_LE(*offset + bytes, next->first);
      }
      if (next != live.begin()) {
        ASSERT_LE(std::prev(next)->first + std::prev(next)->second, *offset);
      }
      ASSERT_LE(*offset + bytes, blocks.capacity_bytes());
      live[*offset] = std::max<std::uint64_t>(bytes, 1);
    } else {
      const auto victim = std::next(live.begin(), static_cast<long>(random.below(live.size())));
      ASSERT_TRUE(blocks.release(victim->first) && twin.release(victim->first));
      live.erase(victim);
    }
  }
  while (!live.empty()) {
    ASSERT_TRUE(blocks.release(live.begin()->first));
    live.erase(live.begin());
  }
  EXPECT_EQ(blocks.free_bytes(), blocks.capacity_bytes());
  EXPECT_EQ(blocks.largest_gap_bytes(), blocks.capacity_bytes());
}

}  // namespace
}  // namespace taihu::memory
