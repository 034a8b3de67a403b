// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/files/pattern.h"

#include <gtest/gtest.h>

#include <random>

#include "taihu/mpi/work/files/coverage.h"

namespace taihu::mpi::files {
namespace {

/// Positions of the first data bytes, one by one.
std::vector<std::int64_t> positions(const std::vector<DataRun>& runs, std::int64_t extent,
                                    std::int64_t origin, int tiles) {
  std::vector<std::int64_t> all;
  for (int tile = 0; tile < tiles; ++tile)
    for (const DataRun& run : runs)
      for (std::int64_t i = 0; i < run.bytes; ++i) all.push_back(origin + tile * extent + run.offset + i);
  return all;
}

TEST(FilePattern, CursorGoesWhereTheDataAre) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<DataRun> runs;
    std::int64_t end = static_cast<std::int64_t>(random() % 3);
    for (unsigned i = 0; i <= random() % 6; ++i) {
      runs.push_back({end, 1 + static_cast<std::int64_t>(random() % 5), 0});
      end = runs.back().offset + runs.back().bytes + static_cast<std::int64_t>(random() % 3);
    }
    const std::int64_t origin = static_cast<std::int64_t>(random() % 20);
    const Pattern pattern = Pattern::of(runs, end, origin);
    const auto expected = positions(runs, end, origin, 4);
    EXPECT_TRUE(pattern.ascending);
    for (std::size_t first = 0; first < expected.size(); ++first) {
      Cursor cursor(pattern, static_cast<std::int64_t>(first));
      for (std::size_t data = first; data < expected.size();) {
        ASSERT_EQ(expected[data], cursor.position());
        ASSERT_EQ(static_cast<std::int64_t>(data), cursor.data());
        const std::int64_t step = std::min(cursor.available(), 1 + static_cast<std::int64_t>(random() % 4));
        cursor.advance(step);
        data += static_cast<std::size_t>(step);
      }
    }
    for (std::int64_t position = 0; position <= expected.back(); ++position) {
      const auto below = std::lower_bound(expected.begin(), expected.end(), position) - expected.begin();
      ASSERT_EQ(below, pattern.data_below(position)) << "round " << round << " position " << position;
    }
  }
}

TEST(FilePattern, TilesThatReachIntoEachOtherDoNotAscend) {
  EXPECT_FALSE(Pattern::of({{0, 2, 0}, {8, 2, 0}}, 2, 0).ascending);
  EXPECT_TRUE(Pattern::of({{0, 2, 0}, {8, 2, 0}}, 10, 0).ascending);
  EXPECT_FALSE(Pattern::of({{8, 2, 0}, {0, 2, 0}}, 10, 0).ascending);
}

TEST(FilePattern, RunsThatFillTheTileAreContiguous) {
  EXPECT_TRUE(Pattern::of({{0, 4, 0}, {4, 4, 0}}, 8, 3).is_contiguous());
  EXPECT_EQ(3, Cursor(Pattern::of({{0, 4, 0}, {4, 4, 0}}, 8, 3), 0).position());
  EXPECT_FALSE(Pattern::of({{0, 4, 0}}, 8, 0).is_contiguous());
  EXPECT_EQ(0, Pattern::of(std::vector<DataRun>{}, 8, 0).size);
}

TEST(FileCoverage, StretchesAreTheUnionOfWhatWasAdded) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const std::int64_t bytes = 1 + static_cast<std::int64_t>(random() % 400);
    Coverage coverage(bytes);
    std::vector<bool> expected(static_cast<std::size_t>(bytes));
    for (unsigned i = 0; i < random() % 12; ++i) {
      const auto first = static_cast<std::int64_t>(random() % static_cast<unsigned long>(bytes));
      const auto length =
          std::min(bytes - first, static_cast<std::int64_t>(random() % (round % 2 == 0 ? 5 : 150)));
      coverage.add(first, length);
      for (std::int64_t k = first; k < first + length; ++k) expected[static_cast<std::size_t>(k)] = true;
    }
    std::vector<bool> found(static_cast<std::size_t>(bytes));
    std::int64_t last = -1;
    coverage.for_each_stretch([&](std::int64_t first, std::int64_t length) {
      ASSERT_GT(first, last);  // separate stretches: something lies between
      ASSERT_GT(length, 0);
      for (std::int64_t k = first; k < first + length; ++k) found[static_cast<std::size_t>(k)] = true;
      last = first + length;
    });
    EXPECT_EQ(expected, found);
  }
}

}  // namespace
}  // namespace taihu::mpi::files
