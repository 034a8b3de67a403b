// SPDX-License-Identifier: Apache-2.0
// Nests of loops that parcc --auto-dma has made work on boxes of main memory in the scratchpad: which boxes
// are moved, how long tiles are, and the transfers. The box of the next tile is fetched while a tile is
// worked on; what it has in common with the one before is copied within the scratchpad.
#include "taihu/abi/box_staging.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstring>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/box_tiles.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/known_objects.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/timed_copies.h"

namespace taihu::parallelc {
namespace {

char* pointer(std::int64_t address) {
  return reinterpret_cast<char*>(static_cast<std::uintptr_t>(address));
}

BoxPlace present_place(const taihu_box_stage& stage, const taihu_box& box) {
  return place_of(box, {stage.first[0], stage.first[1]}, {stage.count[0], stage.count[1]});
}

/// The tile after the one at `first`; its first iterations.
std::array<std::uint64_t, 2> next_tile(const taihu_box_stage& stage) {
  std::array<std::uint64_t, 2> next{stage.first[0], stage.first[1] + stage.tile[1]};
  if (next[1] >= stage.iterations[1]) next = {stage.first[0] + stage.tile[0], 0};
  return next;
}
std::array<std::uint64_t, 2> lengths(const taihu_box_stage& stage,
                                     const std::array<std::uint64_t, 2>& first) {
  return {std::min(stage.tile[0], stage.iterations[0] - first[0]),
          std::min(stage.tile[1], stage.iterations[1] - first[1])};
}

/// Where the low corner of a box lies in a buffer: at the same address modulo 64.
char* corner(const taihu_box& box, std::uint64_t half, const BoxPlace& place) {
  return box.halves[half] + (place.low & (box_alignment - 1));
}

void wait(std::int32_t& reply) {
  if (reply != 0) dma_wait(&reply, reply);
  reply = 0;
}

/// Bytes [from, from + bytes), of which only those that may be read are.
void get_piece(const taihu_box& box, char* near, std::int64_t from, std::uint64_t bytes,
               std::int32_t* reply) {
  const std::int64_t low = std::max(from, number(box.certain_low));
  const std::int64_t high = std::min(from + static_cast<std::int64_t>(bytes), number(box.certain_high));
  if (low < high) dma_iget(near + (low - from), pointer(low), static_cast<std::size_t>(high - low), reply);
}

/// Slabs of the box from number `from` on: planes, or rows where there is one plane, or bytes of one row.
void get_rows(const taihu_box& box, char* near, std::int64_t low, std::uint64_t rows, std::uint64_t width,
              std::int32_t* reply) {
  const std::int64_t pitch = box.pitch[TAIHU_BOX_ROWS];
  const auto bytes = static_cast<std::int64_t>(width);
  const auto piece = [&](std::uint64_t row) {
    get_piece(box, near + row * width, low + pitch * static_cast<std::int64_t>(row), width, reply);
  };
  const auto is_inside = [&](std::uint64_t row) {
    const std::int64_t begin = low + pitch * static_cast<std::int64_t>(row);
    return begin >= number(box.certain_low) && begin + bytes <= number(box.certain_high);
  };
  std::uint64_t first = 0, last = rows;
  while (first < last && !is_inside(first)) piece(first++);
  while (last > first && !is_inside(last - 1)) piece(--last);
  if (first == last) return;
  const std::uint64_t all = (last - first) * width;
  const std::int64_t from = low + pitch * static_cast<std::int64_t>(first);
  if (pitch == bytes || last - first == 1)
    dma_iget(near + first * width, pointer(from), all, reply);
  else if (pitch > bytes)
    dma_iget_stride(near + first * width, pointer(from), all, reply, width, static_cast<std::size_t>(pitch));
  else
    while (first < last) piece(first++);
}

void copy_near(char* to, const char* from, std::uint64_t bytes) {
  std::memcpy(to, from, bytes);
  if (scratchpad_model::Core* core = current_core()) {
    const std::uint64_t words = (bytes + 7) / 8;
    core->count_accesses(TAIHU_ACCESS_LOAD, TAIHU_PLACE_SCRATCHPAD, words);
    core->count_accesses(TAIHU_ACCESS_STORE, TAIHU_PLACE_SCRATCHPAD, words);
  }
}

/// Fetches the box at `to` into `half`; `before`, when not null, is what the other half has.
void get_box(const taihu_box_stage& stage, taihu_box& box, std::uint64_t half, const BoxPlace& to,
             const BoxPlace* before) {
  if ((box.flags & TAIHU_BOX_READ) == 0) return;
  std::int32_t* const reply = &box.got[half];
  char* const near = corner(box, half, to);
  const std::uint64_t planes = to.count[0], rows = to.count[1], width = to.count[2];
  // Eight bytes cost two cycles within the scratchpad.
  const BoxOverlap kept =
      before != nullptr && stage.per_byte * 8 > 2 ? overlap(box, *before, to) : BoxOverlap{};
  if (kept.bytes != 0) copy_near(near, corner(box, half ^ 1, *before) + kept.from, kept.bytes);
  if (kept.bytes != 0 && kept.way == TAIHU_BOX_BYTES) {
    get_piece(box, near + kept.bytes, to.low + static_cast<std::int64_t>(kept.bytes), width - kept.bytes,
              reply);
    return;
  }
  if (kept.bytes != 0 && kept.way == TAIHU_BOX_ROWS) {
    const std::uint64_t done = kept.bytes / width;
    get_rows(box, near + kept.bytes, to.low + box.pitch[1] * static_cast<std::int64_t>(done), rows - done,
             width, reply);
    return;
  }
  const std::uint64_t slab = rows * width;
  for (std::uint64_t plane = kept.bytes / slab; plane < planes; ++plane)
    get_rows(box, near + plane * slab, to.low + box.pitch[0] * static_cast<std::int64_t>(plane), rows, width,
             reply);
}

/// Puts back the written part of the box of `half`, which lies at `from`.
void put_box(taihu_box& box, std::uint64_t half, const BoxPlace& from) {
  if ((box.flags & TAIHU_BOX_WRITTEN) == 0) return;
  std::array<std::uint64_t, 3> count{};
  for (int way = 0; way < 3; ++way) count[way] = box.written_count[way] + (from.count[way] - box.count[way]);
  const std::uint64_t width = from.count[2];
  const std::int64_t pitch = box.pitch[TAIHU_BOX_ROWS];
  for (std::uint64_t k = 0; k < count[0]; ++k) {
    const std::uint64_t plane = box.written_from[0] + k;
    const char* near =
        corner(box, half, from) + (plane * from.count[1] + box.written_from[1]) * width + box.written_from[2];
    const std::int64_t to = from.low + box.pitch[0] * static_cast<std::int64_t>(plane) +
                            pitch * static_cast<std::int64_t>(box.written_from[1]) +
                            static_cast<std::int64_t>(box.written_from[2]);
    const bool is_packed = count[2] == width;
    if (count[1] == 1 || (is_packed && pitch == static_cast<std::int64_t>(width))) {
      dma_iput(pointer(to), near, count[1] * count[2], &box.put[half]);
    } else if (is_packed) {
      dma_iput_stride(pointer(to), near, count[1] * count[2], &box.put[half], width,
                      static_cast<std::size_t>(pitch));
    } else {
      for (std::uint64_t row = 0; row < count[1]; ++row)
        dma_iput(pointer(to + pitch * static_cast<std::int64_t>(row)), near + row * width, count[2],
                 &box.put[half]);
    }
  }
}

/// What the next tile reads the present one may write.
bool must_wait(const taihu_box& box, const BoxPlace& present, const BoxPlace& next) {
  return (box.flags & TAIHU_BOX_WRITTEN) != 0 && (box.flags & TAIHU_BOX_READ) != 0 &&
         may_share(box, present, next);
}

bool may_stay(const taihu_box& box) {
  return box.version != nullptr && is_staged(box) && (box.flags & TAIHU_BOX_READ) != 0 &&
         (box.flags & TAIHU_BOX_WRITTEN) == 0;
}

/// Objects of boxes whose pointers come from elsewhere.
void find_objects(taihu_box_stage& stage) {
  for (taihu_box& box : boxes_of(stage)) {
    if (!is_staged(box) || (box.flags & TAIHU_BOX_LOOK_UP) == 0) continue;
    const auto address = static_cast<std::uintptr_t>(number(box.low));
    const bool may_be_unwritten = (box.flags & TAIHU_BOX_PERHAPS_WRITTEN) != 0;
    const auto object =
        may_be_unwritten ? known_objects().find_writable(address) : known_objects().find(address);
    if (!object) {
      // Putting back what was not written would fail in constant memory.
      if (may_be_unwritten) box.flags &= ~std::uint64_t{TAIHU_BOX_STAGED};
      continue;
    }
    box.object = pointer(static_cast<std::int64_t>(object->first));
    box.object_bytes = object->second;
  }
}

/// Copies that earlier nests and loops have left. The numbers of the boxes have not been looked at yet.
void find_copies(taihu_box_stage& stage, KeptCopies& copies) {
  for (taihu_box& box : boxes_of(stage)) {
    box.copy = nullptr;
    box.got[0] = 0;
    if (!may_stay(box) || !copies.knows(box.version) || !has_addresses(stage, box)) continue;
    const BoxPlace all = one_piece(stage, box);
    if (all.bytes() != 0) box.copy = find_copy(copies, pointer(all.low), all.bytes(), box.version);
  }
}

/// Room for copies that are to stay, of boxes that are the same in all tiles; their transfers begin.
void make_copies(taihu_box_stage& stage, KeptCopies& copies) {
  for (taihu_box& box : boxes_of(stage)) {
    if (!may_stay(box) || box.copy != nullptr || is_moving(stage, box, {stage.tile[0], stage.tile[1]}))
      continue;
    const BoxPlace all = one_piece(stage, box);
    // It must all be there: else only the part that is certain may be fetched.
    if (all.bytes() == 0 || all.low < number(box.certain_low) ||
        all.low + static_cast<std::int64_t>(all.bytes()) > number(box.certain_high))
      continue;
    box.copy = static_cast<char*>(make_copy(copies, pointer(all.low), all.bytes(), box.version));
    if (box.copy != nullptr) dma_iget(box.copy, pointer(all.low), all.bytes(), &box.got[0]);
  }
}

/// Copies that the nest uses, or only those of boxes that are not moved.
void release_copies(taihu_box_stage& stage, KeptCopies& copies, bool all) {
  for (taihu_box& box : boxes_of(stage)) {
    if (box.copy == nullptr || (!all && is_staged(box))) continue;
    wait(box.got[0]);
    copies.release(box.copy);
    box.copy = nullptr;
  }
}

/// Does without the first copy that the nest uses, whose room others may have then. False: it uses none.
bool leave_copy(taihu_box_stage& stage, KeptCopies& copies) {
  for (taihu_box& box : boxes_of(stage)) {
    if (box.copy == nullptr) continue;
    wait(box.got[0]);
    copies.release(box.copy);
    box.copy = nullptr;
    return true;
  }
  return false;
}

/// Where the tile's first iteration finds the box in a copy of all that the nest reads.
void set_near_in_copy(const taihu_box_stage& stage, taihu_box& box) {
  const BoxPlace all = one_piece(stage, box);
  box.near_pitch[0] = static_cast<std::int64_t>(all.count[1] * all.count[2]);
  box.near_pitch[1] = static_cast<std::int64_t>(all.count[2]);
  box.near_memory = box.copy + (number(box.memory) - all.low) +
                    box.step[0] * static_cast<std::int64_t>(stage.first[0]) +
                    box.step[1] * static_cast<std::int64_t>(stage.first[1]);
}

bool is_in_buffers(const taihu_box& box) {
  return is_staged(box) && box.copy == nullptr;
}

bool allocate(taihu_box_stage& stage, KeptCopies& copies) {
  std::uint64_t bytes = box_alignment - 1;
  for (const taihu_box& box : boxes_of(stage))
    bytes += buffer_bytes(stage, box, {stage.tile[0], stage.tile[1]});
  stage.buffers = copies.allocate(bytes);
  if (stage.buffers == nullptr) return false;
  auto place = (reinterpret_cast<std::uintptr_t>(stage.buffers) + box_alignment - 1) & ~(box_alignment - 1);
  for (taihu_box& box : boxes_of(stage)) {
    if (box.copy != nullptr) continue;
    box.half = 0;
    box.got[0] = box.got[1] = box.put[0] = box.put[1] = 0;
    box.halves[0] = box.halves[1] = reinterpret_cast<char*>(place);
    const std::uint64_t size = buffer_bytes(stage, box, {stage.tile[0], stage.tile[1]});
    if (is_moving(stage, box, {stage.tile[0], stage.tile[1]})) box.halves[1] += size / 2;
    place += size;
  }
  return true;
}

/// Chooses tiles and makes their buffers, beside the copies that the nest uses.
bool make_tiles(taihu_box_stage& stage, const memory::ScratchpadArena& arena, KeptCopies& copies,
                bool makes_copies) {
  const std::size_t room = copies.available_bytes();
  const std::int64_t scratchpad = number(arena.static_base());
  if (!choose_tiles(stage, scratchpad, scratchpad + static_cast<std::int64_t>(arena.capacity_bytes()), room))
    return false;
  release_copies(stage, copies, false);
  if (makes_copies) make_copies(stage, copies);
  return allocate(stage, copies);
}

/// make_tiles with as many of the copies as leave room for the buffers.
bool make_tiles_somehow(taihu_box_stage& stage, const memory::ScratchpadArena& arena, KeptCopies& copies) {
  constexpr std::size_t most_boxes = 64;  // the compiler makes fewer
  std::bitset<most_boxes> staged;
  for (std::size_t k = 0; k < stage.box_count && k < most_boxes; ++k) staged[k] = is_staged(stage.boxes[k]);
  if (make_tiles(stage, arena, copies, true)) return true;
  while (leave_copy(stage, copies)) {
    for (std::size_t k = 0; k < stage.box_count && k < most_boxes; ++k)
      if (staged[k]) stage.boxes[k].flags |= TAIHU_BOX_STAGED;
    if (make_tiles(stage, arena, copies, false)) return true;
  }
  return false;
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

int32_t taihu_box_begin(taihu_box_stage* stage) {
  AcceleratorThread* thread = current_accelerator_thread();
  if (thread == nullptr || stage->is_allowed == 0) return 0;
  find_objects(*stage);
  find_copies(*stage, *thread->copies);
  if (!make_tiles_somehow(*stage, *thread->scratchpad, *thread->copies)) return 0;
  stage->first[0] = stage->first[1] = 0;
  const auto count = lengths(*stage, {0, 0});
  stage->count[0] = stage->count[1] = 0;  // no tile has been worked on
  for (taihu_box& box : boxes_of(*stage))
    if (is_in_buffers(box)) get_box(*stage, box, 0, place_of(box, {0, 0}, count), nullptr);
  return 1;
}

void taihu_box_turn(taihu_box_stage* stage) {
  const bool is_first = stage->count[0] == 0;
  const taihu_box_stage& now = *stage;
  std::array<std::uint64_t, 2> first{0, 0};
  if (!is_first) first = next_tile(now);
  const auto count = lengths(now, first);
  for (taihu_box& box : boxes_of(*stage)) {
    if (!is_in_buffers(box) || is_first) continue;
    const BoxPlace before = present_place(now, box), place = place_of(box, first, count);
    if (before == place) continue;
    put_box(box, box.half, before);
    box.half ^= 1;
    if (must_wait(box, before, place)) {
      wait(box.put[0]);
      wait(box.put[1]);
      get_box(now, box, box.half, place, nullptr);
    }
  }
  stage->first[0] = first[0], stage->first[1] = first[1];
  stage->count[0] = count[0], stage->count[1] = count[1];
  const auto next = next_tile(now);
  stage->has_more = next[0] < now.iterations[0];
  for (taihu_box& box : boxes_of(*stage)) {
    if (!is_staged(box)) {
      box.near_memory = box.memory + box.step[0] * static_cast<std::int64_t>(first[0]) +
                        box.step[1] * static_cast<std::int64_t>(first[1]);
      continue;
    }
    if (box.copy != nullptr) {
      wait(box.got[0]);
      set_near_in_copy(now, box);
      continue;
    }
    wait(box.got[box.half]);
    wait(box.put[box.half]);
  }
  for (taihu_box& box : boxes_of(*stage)) {
    if (!is_in_buffers(box)) continue;
    const BoxPlace place = present_place(now, box);
    const std::uint64_t width = place.count[2], slab = place.count[1] * width;
    box.near_pitch[0] = static_cast<std::int64_t>(slab);
    box.near_pitch[1] = static_cast<std::int64_t>(width);
    box.near_memory = corner(box, box.half, place) + place.origin[0] * box.near_pitch[0] +
                      place.origin[1] * box.near_pitch[1] + place.origin[2];
    if (stage->has_more == 0) continue;
    const BoxPlace after = place_of(box, next, lengths(now, next));
    if (after == place || must_wait(box, place, after)) continue;
    wait(box.put[box.half ^ 1]);
    get_box(now, box, box.half ^ 1, after, (box.flags & TAIHU_BOX_WRITTEN) == 0 ? &place : nullptr);
  }
}

void taihu_box_end(taihu_box_stage* stage) {
  for (taihu_box& box : boxes_of(*stage))
    if (is_in_buffers(box)) put_box(box, box.half, present_place(*stage, box));
  for (taihu_box& box : boxes_of(*stage)) {
    if (!is_in_buffers(box)) continue;
    wait(box.put[0]);
    wait(box.put[1]);
  }
  AcceleratorThread& thread = *current_accelerator_thread();
  release_copies(*stage, *thread.copies, true);
  thread.scratchpad->release(stage->buffers);
}

}  // extern "C"
