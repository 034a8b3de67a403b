// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/saved_data.h"

#include <gtest/gtest.h>

namespace taihu::memory {
namespace {

using Ranges = std::vector<ImageRange>;

TEST(SavedData, CutsHolesOutOfRanges) {
  EXPECT_EQ(without({}, {{0, 5}}), Ranges{});
  EXPECT_EQ(without({{10, 20}}, {}), (Ranges{{10, 20}}));
  EXPECT_EQ(without({{10, 20}}, {{12, 14}, {12, 14}, {13, 15}}), (Ranges{{10, 12}, {15, 20}}));
  EXPECT_EQ(without({{10, 20}}, {{5, 10}, {20, 25}}), (Ranges{{10, 20}}));
  EXPECT_EQ(without({{10, 20}}, {{5, 11}, {19, 25}}), (Ranges{{11, 19}}));
  EXPECT_EQ(without({{10, 20}}, {{0, 100}}), Ranges{});
  EXPECT_EQ(without({{30, 40}, {10, 20}}, {{15, 35}, {0, 12}}), (Ranges{{12, 15}, {35, 40}})) << "any order";
  EXPECT_EQ(without({{10, 20}, {30, 40}}, {{11, 39}, {12, 13}}), (Ranges{{10, 11}, {39, 40}}))
      << "a hole over others";
}

// Slow twin: byte by byte.
TEST(SavedData, CutsAsByteByByte) {
  std::uint64_t state = 7;
  const auto below = [&](std::uint64_t limit) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % limit;
  };
  for (int round = 0; round < 2000; ++round) {
    Ranges ranges, holes;
    std::vector<bool> kept(100), cut(100);
    for (std::uint64_t at = below(20); at < 90; at += 1 + below(20)) {
      const std::uint64_t end = std::min<std::uint64_t>(at + below(20), 100);
      ranges.push_back({at, end});
      for (; at < end; ++at) kept[at] = true;
    }
    for (std::uint64_t i = below(8); i > 0; --i) {
      const std::uint64_t begin = below(95), end = begin + below(100 - begin);
      holes.push_back({begin, end});
      for (std::uint64_t at = begin; at < end; ++at) cut[at] = true;
    }
    std::vector<bool> found(100);
    for (const ImageRange& range : without(ranges, holes)) {
      ASSERT_LT(range.begin, range.end);
      for (std::uint64_t at = range.begin; at < range.end; ++at) found[at] = true;
    }
    for (std::size_t at = 0; at < 100; ++at) ASSERT_EQ(found[at], kept[at] && !cut[at]) << round << ' ' << at;
  }
}

}  // namespace
}  // namespace taihu::memory
