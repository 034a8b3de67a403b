// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/box_tiles.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace taihu::parallelc {
namespace {

/// Above it nothing is moved: sums of such numbers have no place to overflow.
constexpr double largest = 1e17;

/// Of what all accesses could gain: with less the loops inside are better cut on their own.
constexpr double least_part = 0.75;

bool is(const taihu_box& box, std::uint64_t flag) {
  return (box.flags & flag) != 0;
}
std::uint64_t magnitude(std::int64_t value) {
  return static_cast<std::uint64_t>(value < 0 ? -value : value);
}
std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) {
  return (value + by - 1) / by;
}
Iterations all_iterations(const taihu_box_stage& stage) {
  return {stage.iterations[0], stage.iterations[1]};
}

/// Each byte has one place in the packed box.
bool is_one_to_one(const taihu_box& box, const BoxPlace& all) {
  const auto pitch_of = [&](int way) { return static_cast<std::uint64_t>(box.pitch[way]); };
  if (all.count[1] > 1 && pitch_of(TAIHU_BOX_ROWS) < all.count[2]) return false;
  const std::uint64_t plane = (all.count[1] - 1) * pitch_of(TAIHU_BOX_ROWS) + all.count[2];
  return all.count[0] == 1 || pitch_of(TAIHU_BOX_PLANES) >= plane;
}

/// Narrows what is certain to what may be fetched. False when an access may lie outside of it.
bool set_safe_part(taihu_box& box) {
  if (box.object != nullptr) {
    box.certain_low = const_cast<char*>(box.object);
    box.certain_high = box.certain_low + box.object_bytes;
  }
  return number(box.low) >= number(box.certain_low) && number(box.high) <= number(box.certain_high);
}

/// Columns [begin, end) of rows of `pitch` bytes that begin at `base`, or none when it takes more than a row.
struct Columns {
  std::uint64_t begin, end;
};
bool columns_of(const BoxPlace& place, std::int64_t base, std::uint64_t pitch, Columns& columns) {
  columns.begin = static_cast<std::uint64_t>(place.low - base) % pitch;
  columns.end = columns.begin + place.count[2];
  return columns.end <= pitch;
}

/// Boxes of different accesses in the whole nest.
bool collide(const taihu_box_stage& stage, const taihu_box& one, const taihu_box& other) {
  if (!is(one, TAIHU_BOX_WRITTEN) && !is(other, TAIHU_BOX_WRITTEN)) return false;
  if (number(one.low) >= number(other.high) || number(other.low) >= number(one.high)) return false;
  const std::int64_t pitch = std::max(one.pitch[TAIHU_BOX_ROWS], other.pitch[TAIHU_BOX_ROWS]);
  const auto fits = [&](const taihu_box& box) {
    return box.pitch[TAIHU_BOX_PLANES] == 0 &&
           (box.pitch[TAIHU_BOX_ROWS] == pitch || box.pitch[TAIHU_BOX_ROWS] == 0);
  };
  if (pitch == 0 || !fits(one) || !fits(other)) return true;
  const BoxPlace first = place_of(one, {0, 0}, all_iterations(stage));
  const BoxPlace second = place_of(other, {0, 0}, all_iterations(stage));
  const std::int64_t base = std::min(first.low, second.low);
  Columns a{}, b{};
  if (!columns_of(first, base, static_cast<std::uint64_t>(pitch), a) ||
      !columns_of(second, base, static_cast<std::uint64_t>(pitch), b))
    return true;
  return a.begin < b.end && b.begin < a.end;
}

/// False when the loops have to work as they were.
bool leave_what_collides(taihu_box_stage& stage, std::int64_t begin, std::int64_t end) {
  const std::span<taihu_box> boxes = boxes_of(stage);
  for (taihu_box& box : boxes) {
    if (!has_addresses(stage, box)) return false;
    const BoxPlace all = place_of(box, {0, 0}, all_iterations(stage));
    const bool is_distinct = !is(box, TAIHU_BOX_WRITTEN) || is_one_to_one(box, all);
    if (!is_distinct && stage.is_reordered != 0) return false;
    if (!is_staged(box)) continue;
    const bool is_in_scratchpad = number(box.low) < end && begin < number(box.high);
    if (!is_distinct || is_in_scratchpad || !set_safe_part(box))
      box.flags &= ~std::uint64_t{TAIHU_BOX_STAGED};
  }
  for (std::size_t k = 0; k < boxes.size(); ++k) {
    for (std::size_t other = 0; other < k; ++other) {
      if (!collide(stage, boxes[k], boxes[other])) continue;
      if (stage.is_reordered != 0) return false;
      boxes[k].flags &= ~std::uint64_t{TAIHU_BOX_STAGED};
      boxes[other].flags &= ~std::uint64_t{TAIHU_BOX_STAGED};
    }
  }
  return true;
}

bool is_any_staged(taihu_box_stage& stage) {
  return std::ranges::any_of(boxes_of(stage), is_staged);
}

std::uint64_t all_bytes(taihu_box_stage& stage, const Iterations& tile) {
  std::uint64_t bytes = box_alignment - 1;
  for (const taihu_box& box : boxes_of(stage)) bytes += buffer_bytes(stage, box, tile);
  return bytes;
}

double all_cycles(taihu_box_stage& stage, const Iterations& tile) {
  double cycles = 0;
  for (const taihu_box& box : boxes_of(stage)) cycles += transfer_cycles(stage, box, tile);
  return cycles;
}

/// The longest tile of the outer loop with which the buffers fit; 0: none.
std::uint64_t longest(taihu_box_stage& stage, std::uint64_t inner, std::uint64_t room) {
  std::uint64_t fits = 0, too_long = stage.iterations[0] + 1;
  if (all_bytes(stage, {stage.iterations[0], inner}) <= room) return stage.iterations[0];
  while (fits + 1 < too_long) {
    const std::uint64_t middle = fits + (too_long - fits) / 2;
    (all_bytes(stage, {middle, inner}) <= room ? fits : too_long) = middle;
  }
  return fits;
}

/// The cheapest tile that fits.
bool find_tile(taihu_box_stage& stage, std::uint64_t room, Iterations& best) {
  double least = -1;
  for (std::uint64_t inner = stage.iterations[1]; inner > 0; inner = inner == 1 ? 0 : divide_up(inner, 2)) {
    const std::uint64_t outer = longest(stage, inner, room);
    if (outer == 0) continue;
    const double cycles = all_cycles(stage, {outer, inner});
    if (least >= 0 && cycles >= least) continue;
    least = cycles;
    best = {outer, inner};
  }
  return least >= 0;
}

/// Takes the staged box for which `value` is least.
template <typename Value>
void leave_least(taihu_box_stage& stage, Value value) {
  taihu_box* least = nullptr;
  for (taihu_box& box : boxes_of(stage))
    if (is_staged(box) && (least == nullptr || value(box) < value(*least))) least = &box;
  if (least != nullptr) least->flags &= ~std::uint64_t{TAIHU_BOX_STAGED};
}

}  // namespace

bool has_addresses(const taihu_box_stage& stage, const taihu_box& box) {
  double extent = 0;
  for (int loop = 0; loop < 2; ++loop)
    extent += std::fabs(static_cast<double>(box.step[loop])) * static_cast<double>(stage.iterations[loop]);
  for (int way = 0; way < 3; ++way) {
    const double pitch = way == TAIHU_BOX_BYTES ? 1 : static_cast<double>(box.pitch[way]);
    if (pitch < 0) return false;
    extent += pitch * static_cast<double>(box.count[way]);
  }
  return extent < largest && number(box.low) >= 0 && number(box.low) <= number(box.high);
}

BoxPlace place_of(const taihu_box& box, const Iterations& first, const Iterations& count) {
  BoxPlace place;
  for (int way = 0; way < 3; ++way) {
    place.count[way] = box.count[way];
    place.origin[way] = box.origin[way];
  }
  place.low = number(box.memory);
  for (int loop = 0; loop < 2; ++loop) {
    place.low += box.step[loop] * static_cast<std::int64_t>(first[loop]);
    if (box.way[loop] >= TAIHU_BOX_WAYS) continue;
    const auto way = static_cast<std::size_t>(box.way[loop]);
    const std::uint64_t more = (count[loop] - 1) * (way == TAIHU_BOX_BYTES ? magnitude(box.step[loop]) : 1);
    place.count[way] += more;
    if (box.step[loop] < 0) place.origin[way] += static_cast<std::int64_t>(more);
  }
  place.low -= place.origin[0] * box.pitch[0] + place.origin[1] * box.pitch[1] + place.origin[2];
  return place;
}

BoxOverlap overlap(const taihu_box& box, const BoxPlace& from, const BoxPlace& to) {
  BoxOverlap result;
  const int way = to.count[0] > 1 || from.count[0] > 1   ? TAIHU_BOX_PLANES
                  : to.count[1] > 1 || from.count[1] > 1 ? TAIHU_BOX_ROWS
                                                         : TAIHU_BOX_BYTES;
  for (int inner = way + 1; inner < 3; ++inner)
    if (from.count[inner] != to.count[inner]) return result;
  const std::int64_t pitch = way == TAIHU_BOX_BYTES ? 1 : box.pitch[way];
  const std::int64_t distance = to.low - from.low;
  if (distance <= 0 || pitch <= 0 || distance % pitch != 0) return result;
  const auto slabs = static_cast<std::uint64_t>(distance / pitch);
  if (slabs >= from.count[way]) return result;
  std::uint64_t slab = 1;
  for (int inner = way + 1; inner < 3; ++inner) slab *= to.count[inner];
  result.way = way;
  result.from = slabs * slab;
  result.bytes = std::min(from.count[way] - slabs, to.count[way]) * slab;
  return result;
}

bool may_share(const taihu_box& box, const BoxPlace& one, const BoxPlace& other) {
  const auto high = [&](const BoxPlace& place) {
    return place.low + static_cast<std::int64_t>(place.count[0] - 1) * box.pitch[0] +
           static_cast<std::int64_t>(place.count[1] - 1) * box.pitch[1] +
           static_cast<std::int64_t>(place.count[2]);
  };
  if (one.low >= high(other) || other.low >= high(one)) return false;
  const std::int64_t pitch = box.pitch[TAIHU_BOX_ROWS];
  if (box.pitch[TAIHU_BOX_PLANES] != 0 || pitch == 0) return true;
  const std::int64_t base = std::min(one.low, other.low);
  Columns a{}, b{};
  if (!columns_of(one, base, static_cast<std::uint64_t>(pitch), a) ||
      !columns_of(other, base, static_cast<std::uint64_t>(pitch), b))
    return true;
  return a.begin < b.end && b.begin < a.end;
}

BoxPlace one_piece(const taihu_box_stage& stage, const taihu_box& box) {
  const BoxPlace all = place_of(box, {0, 0}, all_iterations(stage));
  const std::uint64_t plane = all.count[1] * all.count[2];
  const bool has_rows = all.count[1] == 1 || box.pitch[1] == static_cast<std::int64_t>(all.count[2]);
  const bool has_planes = all.count[0] == 1 || box.pitch[0] == static_cast<std::int64_t>(plane);
  return has_rows && has_planes ? all : BoxPlace{};
}

bool is_moving(const taihu_box_stage& stage, const taihu_box& box, const Iterations& tile) {
  for (int loop = 0; loop < 2; ++loop)
    if (box.way[loop] < TAIHU_BOX_WAYS && tile[loop] < stage.iterations[loop]) return true;
  return false;
}

std::uint64_t buffer_bytes(const taihu_box_stage& stage, const taihu_box& box, const Iterations& tile) {
  if (!is_staged(box) || box.copy != nullptr) return 0;
  const std::uint64_t bytes = place_of(box, {0, 0}, tile).bytes();
  if (bytes > std::uint64_t{1} << 40) return std::uint64_t{1} << 40;
  const std::uint64_t one = divide_up(bytes + box_alignment - 1, box_alignment) * box_alignment;
  return is_moving(stage, box, tile) ? 2 * one : one;
}

double transfer_cycles(const taihu_box_stage& stage, const taihu_box& box, const Iterations& tile) {
  if (!is_staged(box) || box.copy != nullptr) return 0;
  const BoxPlace place = place_of(box, {0, 0}, tile);
  const double tiles[2] = {static_cast<double>(divide_up(stage.iterations[0], tile[0])),
                           static_cast<double>(divide_up(stage.iterations[1], tile[1]))};
  const bool outer = box.way[0] < TAIHU_BOX_WAYS, inner = box.way[1] < TAIHU_BOX_WAYS && tiles[1] > 1;
  // A box that moves with the inner loop alone comes again in each round of the outer one.
  const double times = inner ? tiles[0] * tiles[1] : outer ? tiles[0] : 1;
  const auto planes = static_cast<double>(place.count[0]), rows = static_cast<double>(place.count[1]);
  const bool is_dense = box.pitch[1] == static_cast<std::int64_t>(place.count[2]);
  const bool overlaps = box.pitch[1] < static_cast<std::int64_t>(place.count[2]);  // each row is a transfer
  const double once = planes * stage.start + static_cast<double>(place.bytes()) * stage.per_byte +
                      (is_dense ? 0 : planes * (rows - 1) * (overlaps ? stage.start : stage.per_block));
  return times * once * (is(box, TAIHU_BOX_READ) + is(box, TAIHU_BOX_WRITTEN));
}

bool choose_tiles(taihu_box_stage& stage, std::int64_t begin, std::int64_t end, std::uint64_t room) {
  for (const std::uint64_t iterations : stage.iterations)
    if (iterations == 0 || iterations > std::uint64_t{1} << 40) return false;
  double all = 0;
  for (const taihu_box& box : boxes_of(stage)) all += box.gain;
  if (!leave_what_collides(stage, begin, end)) return false;
  Iterations tile{};
  while (is_any_staged(stage)) {
    if (!find_tile(stage, room, tile)) {
      leave_least(stage, [&](const taihu_box& box) {
        return box.gain / static_cast<double>(buffer_bytes(stage, box, {1, 1}));
      });
      continue;
    }
    const auto net = [&](const taihu_box& box) { return box.gain - transfer_cycles(stage, box, tile); };
    const std::span<taihu_box> boxes = boxes_of(stage);
    if (std::ranges::all_of(boxes, [&](const taihu_box& box) { return !is_staged(box) || net(box) > 0; })) {
      double staged = 0;
      for (const taihu_box& box : boxes) staged += is_staged(box) ? box.gain : 0;
      if (staged < least_part * all) return false;
      stage.tile[0] = tile[0], stage.tile[1] = tile[1];
      for (taihu_box& box : boxes)
        if (!is_staged(box)) box.near_pitch[0] = box.pitch[0], box.near_pitch[1] = box.pitch[1];
      return true;
    }
    leave_least(stage, net);
  }
  return false;
}

}  // namespace taihu::parallelc
