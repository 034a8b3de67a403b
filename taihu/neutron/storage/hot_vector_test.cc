// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/storage/hot_vector.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace taihu::neutron {
namespace {

template <typename T>
std::uintptr_t place_of(const HotVector<T>& vector) {
  return reinterpret_cast<std::uintptr_t>(vector.data());
}

struct alignas(64) Line {
  double value[8];
};

class HotVectorTest : public testing::Test {
 protected:
  ~HotVectorTest() override { set_hot_memory(HotMemory::aligned); }
};

TEST_F(HotVectorTest, SmallOnesBeginAtACacheLineLargeOnesAtALargePage) {
  for (const std::size_t count : {1u, 7u, 1000u, 262143u}) {
    const HotVector<double> vector(count, 1.5);
    EXPECT_EQ(place_of(vector) % 64, 0u) << count;
    EXPECT_EQ(vector.back(), 1.5);
  }
  const HotVector<double> large(262144 + 3, 2.5);
  EXPECT_EQ(place_of(large) % (2 << 20), 0u);
  EXPECT_EQ(large.back(), 2.5);
}

TEST_F(HotVectorTest, BlocksOfBothKindsLiveTogether) {
  HotVector<int> aligned(10, 1);
  set_hot_memory(HotMemory::plain);
  HotVector<int> plain(aligned);
  const HotVector<Line> lines(3);
  EXPECT_EQ(place_of(lines) % 64, 0u);  // its elements ask for it
  aligned.resize(1000, 2);
  set_hot_memory(HotMemory::aligned);
  plain = std::move(aligned);
  EXPECT_EQ(plain.size(), 1000u);
  EXPECT_EQ(plain[9], 1);
  EXPECT_EQ(plain[10], 2);
}

TEST_F(HotVectorTest, PlainMemoryIsNotMadeToBeginAtCacheLines) {
  set_hot_memory(HotMemory::plain);
  std::vector<HotVector<char>> vectors;
  bool all = true;
  for (std::size_t i = 1; i <= 64; ++i) {
    vectors.emplace_back(i);
    all = all && place_of(vectors.back()) % 64 == 0;
  }
  EXPECT_FALSE(all);
}

TEST_F(HotVectorTest, SizesBeyondTheAddressSpaceAreRefused) {
  HotAllocator<double> allocator;
  EXPECT_THROW((void)allocator.allocate(SIZE_MAX / 4), std::bad_alloc);
  EXPECT_THROW((void)allocate_hot(SIZE_MAX - 8, 8), std::bad_alloc);
}

}  // namespace
}  // namespace taihu::neutron
