// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/box_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>
#include <vector>

namespace taihu::parallelc {
namespace {

constexpr std::int64_t far_away = 1 << 20;

/// A stage with boxes; the memory is never touched.
class Stage {
 public:
  Stage(int boxes, std::uint64_t outer, std::uint64_t inner)
      : stage_(static_cast<taihu_box_stage*>(
            std::calloc(1, sizeof(taihu_box_stage) + static_cast<std::size_t>(boxes) * sizeof(taihu_box)))) {
    stage_->iterations[0] = outer;
    stage_->iterations[1] = inner;
    stage_->is_allowed = stage_->is_reordered = 1;
    stage_->start = 1000;
    stage_->per_byte = 1;
    stage_->per_block = 100;
    stage_->box_count = static_cast<std::uint64_t>(boxes);
  }
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;
  ~Stage() { std::free(stage_); }

  /// Doubles of a grid whose rows have `columns`, with a border of `halo` around those of the loops.
  taihu_box& grid(int number, std::int64_t address, std::int64_t columns, std::int64_t halo,
                  std::uint64_t flags) {
    taihu_box& box = stage_->boxes[number];
    box.memory = reinterpret_cast<char*>(address);
    box.pitch[1] = columns * 8;
    box.step[0] = columns * 8;
    box.step[1] = 8;
    box.way[0] = TAIHU_BOX_ROWS;
    box.way[1] = TAIHU_BOX_BYTES;
    box.count[0] = 1;
    box.count[1] = static_cast<std::uint64_t>(2 * halo + 1);
    box.count[2] = static_cast<std::uint64_t>(8 * (2 * halo + 1));
    box.origin[1] = halo;
    box.origin[2] = 8 * halo;
    box.written_from[1] = static_cast<std::uint64_t>(halo);
    box.written_from[2] = static_cast<std::uint64_t>(8 * halo);
    box.written_count[0] = box.written_count[1] = 1;
    box.written_count[2] = 8;
    box.low = box.memory - halo * columns * 8 - halo * 8;
    box.high = box.memory + (static_cast<std::int64_t>(stage_->iterations[0]) - 1 + halo) * columns * 8 +
               8 * (static_cast<std::int64_t>(stage_->iterations[1]) + halo);
    box.certain_low = box.low;
    box.certain_high = box.high;
    box.gain = 1e9;
    box.flags = flags;
    return box;
  }
  bool choose(std::uint64_t room) { return choose_tiles(*stage_, 0, 64, room); }
  taihu_box_stage& get() { return *stage_; }

 private:
  taihu_box_stage* stage_;
};

constexpr std::uint64_t reads = TAIHU_BOX_STAGED | TAIHU_BOX_READ;
constexpr std::uint64_t writes = TAIHU_BOX_STAGED | TAIHU_BOX_WRITTEN;

TEST(BoxTiles, FitTheRoomAndUseIt) {
  for (const std::uint64_t room : {1000UL, 4096UL, 65536UL, 1UL << 20}) {
    Stage stage(2, 298, 698);
    stage.grid(0, far_away, 700, 1, reads);
    stage.grid(1, 4 * far_away, 700, 0, writes);
    ASSERT_TRUE(stage.choose(room)) << room;
    std::uint64_t bytes = box_alignment - 1;
    const Iterations tile{stage.get().tile[0], stage.get().tile[1]};
    for (int k = 0; k < 2; ++k) bytes += buffer_bytes(stage.get(), stage.get().boxes[k], tile);
    EXPECT_LE(bytes, room);
    EXPECT_GE(bytes, room / 4) << room;
  }
}

TEST(BoxTiles, ABoxOfTheWholeNestHasOneBuffer) {
  Stage stage(1, 10, 10);
  const taihu_box& box = stage.grid(0, far_away, 100, 1, reads);
  ASSERT_TRUE(stage.choose(1 << 16));
  EXPECT_EQ(stage.get().tile[0], 10U);
  EXPECT_EQ(stage.get().tile[1], 10U);
  EXPECT_FALSE(is_moving(stage.get(), box, {10, 10}));
  EXPECT_TRUE(is_moving(stage.get(), box, {10, 5}));
  EXPECT_EQ(buffer_bytes(stage.get(), box, {10, 10}), (12 * 96 + 63 + 63) / 64 * 64);
}

TEST(BoxTiles, WrittenBoxesThatOverlapKeepTheirOrder) {
  for (const std::int64_t distance : {0L, 8L, 100L * 700 * 8}) {
    Stage stage(2, 298, 698);
    stage.grid(0, far_away, 700, 1, reads);
    stage.grid(1, far_away + distance, 700, 0, writes);
    EXPECT_FALSE(stage.choose(1 << 16)) << distance;
    // One loop alone keeps the order: both stay in main memory, so nothing is left to do.
    stage.get().is_reordered = 0;
    EXPECT_FALSE(stage.choose(1 << 16)) << distance;
  }
}

TEST(BoxTiles, ColumnsOfOneGridAreApart) {
  Stage stage(2, 20, 20);
  stage.grid(0, far_away, 100, 0, reads);
  stage.grid(1, far_away + 50L * 8, 100, 0, writes);
  EXPECT_TRUE(stage.choose(1 << 16));
  stage.grid(1, far_away + 19L * 8, 100, 0, writes);
  EXPECT_FALSE(stage.choose(1 << 16));
}

TEST(BoxTiles, WhatGainsTooLittleOrLeavesItsObjectStays) {
  Stage stage(2, 100, 100);
  stage.grid(0, far_away, 100, 0, reads);
  stage.grid(1, 2 * far_away, 100, 0, reads).gain = 10;
  ASSERT_TRUE(stage.choose(1 << 16));
  EXPECT_TRUE(is_staged(stage.get().boxes[0]));
  EXPECT_FALSE(is_staged(stage.get().boxes[1]));
  taihu_box& box = stage.grid(1, 2 * far_away, 100, 0, reads);
  box.gain = 1e8;
  box.object = box.memory;
  box.object_bytes = 100 * 100 * 8 - 1;
  ASSERT_TRUE(stage.choose(1 << 16));
  EXPECT_FALSE(is_staged(box));
  stage.grid(1, 2 * far_away, 100, 0, reads).object = box.memory;
  box.object_bytes = 100 * 100 * 8;
  ASSERT_TRUE(stage.choose(1 << 16));
  EXPECT_TRUE(is_staged(box));
}

TEST(BoxTiles, NumbersWithoutSenseMoveNothing) {
  Stage none(1, 0, 5);
  none.grid(0, far_away, 100, 0, reads);
  EXPECT_FALSE(none.choose(1 << 16));
  Stage huge(1, 1UL << 39, 1UL << 39);
  huge.grid(0, far_away, 100, 0, reads).step[0] = 1L << 50;
  EXPECT_FALSE(huge.choose(1 << 16));
  Stage small(1, 100, 100);
  small.grid(0, far_away, 100, 1, reads);
  EXPECT_FALSE(small.choose(32));
}

/// Addresses of the bytes of a box in the order in which they are packed.
std::vector<std::int64_t> packed(const taihu_box& box, const BoxPlace& place) {
  std::vector<std::int64_t> bytes;
  for (std::uint64_t plane = 0; plane < place.count[0]; ++plane)
    for (std::uint64_t row = 0; row < place.count[1]; ++row)
      for (std::uint64_t byte = 0; byte < place.count[2]; ++byte)
        bytes.push_back(place.low + box.pitch[0] * static_cast<std::int64_t>(plane) +
                        box.pitch[1] * static_cast<std::int64_t>(row) + static_cast<std::int64_t>(byte));
  return bytes;
}

// Boxes with random steps and lengths against the sets of their bytes.
TEST(BoxTiles, OverlapsAreWhatTheBytesSay) {
  std::mt19937_64 random(7);
  const auto up_to = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most + 1));
  };
  int found = 0, apart = 0;
  for (int round = 0; round < 3000; ++round) {
    Stage stage(1, 1 + static_cast<std::uint64_t>(up_to(9)), 1 + static_cast<std::uint64_t>(up_to(9)));
    taihu_box& box = stage.grid(0, far_away, 2 + up_to(20), up_to(2), reads);
    if (up_to(3) == 0) box.step[0] = -box.step[0];
    if (up_to(3) == 0) box.step[1] = -box.step[1];
    if (up_to(5) == 0) box.way[1] = TAIHU_BOX_WAYS, box.step[1] = 0;
    const auto place = [&] {
      return place_of(box, {static_cast<std::uint64_t>(up_to(6)), static_cast<std::uint64_t>(up_to(6))},
                      {1 + static_cast<std::uint64_t>(up_to(3)), 1 + static_cast<std::uint64_t>(up_to(3))});
    };
    const BoxPlace one = place(), other = place();
    const std::vector<std::int64_t> from = packed(box, one), to = packed(box, other);
    const BoxOverlap kept = overlap(box, one, other);
    for (std::uint64_t byte = 0; byte < kept.bytes; ++byte)
      ASSERT_EQ(from[kept.from + byte], to[byte]) << round;
    found += kept.bytes != 0;
    const std::set<std::int64_t> all(from.begin(), from.end());
    const bool shares =
        std::any_of(to.begin(), to.end(), [&](std::int64_t byte) { return all.contains(byte); });
    if (shares) {
      ASSERT_TRUE(may_share(box, one, other)) << round;
    }
    apart += !may_share(box, one, other);
  }
  EXPECT_GT(found, 50);
  EXPECT_GT(apart, 500);
}

TEST(BoxTiles, OnlyDenseBoxesAreOnePiece) {
  Stage stage(2, 20, 30);
  EXPECT_EQ(one_piece(stage.get(), stage.grid(0, far_away, 30, 0, reads)).bytes(), 20UL * 30 * 8);
  EXPECT_EQ(one_piece(stage.get(), stage.grid(1, far_away, 31, 0, reads)).bytes(), 0U);
}

TEST(BoxTiles, ABoxWithACopyNeedsNoBuffersAndNoTransfers) {
  Stage stage(1, 20, 30);
  taihu_box& box = stage.grid(0, far_away, 30, 0, reads);
  EXPECT_GT(buffer_bytes(stage.get(), box, {20, 30}), 0U);
  EXPECT_GT(transfer_cycles(stage.get(), box, {20, 30}), 0);
  char place = 0;
  box.copy = &place;
  EXPECT_EQ(buffer_bytes(stage.get(), box, {20, 30}), 0U);
  EXPECT_EQ(transfer_cycles(stage.get(), box, {20, 30}), 0);
}

}  // namespace
}  // namespace taihu::parallelc
