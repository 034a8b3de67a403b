// SPDX-License-Identifier: Apache-2.0
// Where boxes of a nest of loops lie, which of them are moved to the scratchpad, and how long tiles are
// (abi/box_staging.h). Arithmetic alone: no transfers, no threads.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "taihu/abi/box_staging.h"

namespace taihu::parallelc {

/// Buffers begin at multiples of it, and a box keeps its address modulo it.
inline constexpr std::uint64_t box_alignment = 64;

using Iterations = std::array<std::uint64_t, 2>;

/// A box in one tile.
struct BoxPlace {
  std::int64_t low = 0;                  ///< address of its lowest byte
  std::array<std::uint64_t, 3> count{};  ///< planes, rows of each, bytes of each
  std::array<std::int64_t, 3> origin{};  ///< of offset 0 of the tile's first iteration
  bool operator==(const BoxPlace& other) const { return low == other.low && count == other.count; }
  std::uint64_t bytes() const { return count[0] * count[1] * count[2]; }
};

inline std::span<taihu_box> boxes_of(taihu_box_stage& stage) {
  return {stage.boxes, stage.box_count};
}

/// Addresses as the boxes count them.
inline std::int64_t number(const void* address) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
}

inline bool is_staged(const taihu_box& box) {
  return (box.flags & TAIHU_BOX_STAGED) != 0;
}

/// Whether the numbers of the box are small enough to be reckoned with.
bool has_addresses(const taihu_box_stage& stage, const taihu_box& box);

BoxPlace place_of(const taihu_box& box, const Iterations& first, const Iterations& count);

/// What the packed box `to` has at its begin and the packed box `from` at its end.
struct BoxOverlap {
  int way = TAIHU_BOX_WAYS;           ///< along which they differ
  std::uint64_t from = 0, bytes = 0;  ///< its place in `from`
};
BoxOverlap overlap(const taihu_box& box, const BoxPlace& from, const BoxPlace& to);

/// False only when no byte lies in both.
bool may_share(const taihu_box& box, const BoxPlace& one, const BoxPlace& other);

/// What the whole nest touches, when it is one piece of main memory; else no bytes.
BoxPlace one_piece(const taihu_box_stage& stage, const taihu_box& box);

/// Whether the box changes from tile to tile, so that it needs two buffers.
bool is_moving(const taihu_box_stage& stage, const taihu_box& box, const Iterations& tile);

/// Of its buffers together; 0 when it is not staged, or has a copy.
std::uint64_t buffer_bytes(const taihu_box_stage& stage, const taihu_box& box, const Iterations& tile);

/// Cycles of its transfers for the whole nest; 0 when it has a copy.
double transfer_cycles(const taihu_box_stage& stage, const taihu_box& box, const Iterations& tile);

/// Takes TAIHU_BOX_STAGED from boxes that must not or need not be moved, and sets the lengths of tiles so
/// that the buffers of the others fit `room`. The scratchpad has the addresses [begin, end). False when the
/// loops have to work as they were.
bool choose_tiles(taihu_box_stage& stage, std::int64_t begin, std::int64_t end, std::uint64_t room);

}  // namespace taihu::parallelc
