// SPDX-License-Identifier: Apache-2.0
// Loops that parcc --auto-dma has made work on buffers in the scratchpad: windows of main memory are fetched
// one tile ahead and put back asynchronously.
#include "taihu/abi/staging.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/known_objects.h"
#include "taihu/parallelc/timed_copies.h"

namespace taihu::parallelc {
namespace {

constexpr std::uint64_t alignment = 64;
constexpr std::uint64_t most_iterations = std::uint64_t{1} << 40;
/// Shorter tiles are not worth their transfers.
constexpr std::uint64_t shortest_tile = 8;

/// Addresses [begin, end).
struct Window {
  std::int64_t begin, end;
  std::uint64_t bytes() const { return static_cast<std::uint64_t>(end - begin); }
};

std::span<taihu_stream> streams_of(taihu_stage& stage) {
  return {stage.streams, stage.stream_count};
}
bool is(const taihu_stream& stream, std::uint64_t flags) {
  return (stream.flags & flags) == flags;
}
/// Through two buffers that take turns.
bool is_tiled(const taihu_stream& stream) {
  return is(stream, TAIHU_STREAM_STAGED) && !is(stream, TAIHU_STREAM_KEPT) && stream.copy == nullptr;
}
bool is_kept(const taihu_stream& stream) {
  return is(stream, TAIHU_STREAM_STAGED | TAIHU_STREAM_KEPT);
}

std::int64_t address_of(const taihu_stream& stream) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(stream.memory));
}
char* byte_at(std::int64_t address) {
  return reinterpret_cast<char*>(static_cast<std::uintptr_t>(address));
}

/// Bytes [offset, offset + bytes) of the iterations [first, first + count), and what lies between.
Window window(const taihu_stream& stream, std::uint64_t first, std::uint64_t count, std::uint64_t offset,
              std::uint64_t bytes) {
  const std::int64_t from =
      address_of(stream) + static_cast<std::int64_t>(offset) + stream.step * static_cast<std::int64_t>(first);
  const std::int64_t to = from + stream.step * static_cast<std::int64_t>(count - 1);
  return {std::min(from, to), std::max(from, to) + static_cast<std::int64_t>(bytes)};
}

Window whole(const taihu_stream& stream) {
  return window(stream, 0, stream.iterations, 0, stream.bytes);
}

/// Whether whole() is right: it has addresses.
bool has_addresses(const taihu_stream& stream) {
  if (stream.iterations == 0 || stream.iterations > most_iterations || stream.bytes > most_iterations)
    return false;
  std::int64_t distance = 0, end = 0;
  if (__builtin_mul_overflow(stream.step, static_cast<std::int64_t>(stream.iterations), &distance))
    return false;
  const std::int64_t begin = address_of(stream);
  if (begin < 0 || __builtin_add_overflow(begin, distance, &end) || end < 0) return false;
  return !__builtin_add_overflow(std::max(begin, end), static_cast<std::int64_t>(stream.bytes), &end);
}

bool may_be_staged(const taihu_stream& stream, const memory::ScratchpadArena& arena) {
  const Window all = whole(stream);
  const auto scratchpad = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(arena.static_base()));
  if (all.begin < scratchpad + static_cast<std::int64_t>(arena.capacity_bytes()) && scratchpad < all.end)
    return false;
  if (is(stream, TAIHU_STREAM_LOOK_UP)) {
    const auto address = static_cast<std::uintptr_t>(all.begin);
    const auto object = is(stream, TAIHU_STREAM_PERHAPS_WRITTEN) ? known_objects().find_writable(address)
                                                                 : known_objects().find(address);
    return object && static_cast<std::uintptr_t>(all.end) <= object->first + object->second;
  }
  if (stream.object == nullptr) return true;
  const auto object = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(stream.object));
  return all.begin >= object && all.end <= object + static_cast<std::int64_t>(stream.object_bytes);
}

/// Staging one of two that overlap would part what is written from what is read.
bool collide(const taihu_stream& one, const taihu_stream& other) {
  if (!is(one, TAIHU_STREAM_WRITTEN) && !is(other, TAIHU_STREAM_WRITTEN)) return false;
  if (!is(one, TAIHU_STREAM_STAGED) && !is(other, TAIHU_STREAM_STAGED)) return false;
  const Window a = whole(one), b = whole(other);
  // A table that is left has no bytes: the compiler has seen that it is apart from what is written.
  return a.begin < a.end && a.begin < b.end && b.begin < b.end && b.begin < a.end;
}

bool is_any_staged(taihu_stage& stage) {
  return std::ranges::any_of(streams_of(stage),
                             [](const taihu_stream& stream) { return is(stream, TAIHU_STREAM_STAGED); });
}

/// Accesses of a table that is not staged find that they lie outside of it.
void leave_table(taihu_stream& table) {
  table.flags &= ~std::uint64_t{TAIHU_STREAM_STAGED};
  table.near_memory = table.memory;
  table.bytes = 0;
}
/// False: there is none.
bool leave_tables(taihu_stage& stage) {
  bool is_any = false;
  for (taihu_stream& stream : streams_of(stage)) {
    if (!is(stream, TAIHU_STREAM_TABLE | TAIHU_STREAM_STAGED)) continue;
    leave_table(stream);
    is_any = true;
  }
  return is_any;
}

/// Sets the objects of tables. All that are taken have half of the room.
void find_tables(taihu_stage& stage, const memory::ScratchpadArena& arena) {
  std::uint64_t taken = 0;
  for (taihu_stream& table : streams_of(stage)) {
    if (!is(table, TAIHU_STREAM_TABLE)) continue;
    const auto object = known_objects().find(reinterpret_cast<std::uintptr_t>(table.memory));
    if (!object || taken + object->second + 2 * alignment > arena.available_bytes() / 2 ||
        object->second / stage.iterations >= table.object_bytes) {
      leave_table(table);
      continue;
    }
    table.memory = byte_at(static_cast<std::int64_t>(object->first));
    table.bytes = object->second;
    for (const taihu_stream& other : streams_of(stage))
      if (collide(table, other)) leave_table(table);
    if (is(table, TAIHU_STREAM_STAGED)) taken += table.bytes + 2 * alignment;
  }
}

bool can_be_staged(taihu_stage& stage, const memory::ScratchpadArena& arena) {
  if (stage.iterations == 0 || stage.iterations < stage.least) return false;
  const std::span<taihu_stream> streams = streams_of(stage);
  if (!std::ranges::all_of(streams, has_addresses)) return false;
  find_tables(stage, arena);
  for (const taihu_stream& stream : streams)
    if (is(stream, TAIHU_STREAM_STAGED) && !may_be_staged(stream, arena)) return false;
  for (std::size_t k = 0; k < streams.size(); ++k)
    for (std::size_t other = 0; other < k; ++other)
      if (collide(streams[k], streams[other])) return false;
  return true;
}

/// Of one buffer, when tiles have `tile` iterations.
std::uint64_t buffer_bytes(const taihu_stream& stream, std::uint64_t tile) {
  const std::uint64_t count = is_kept(stream) ? stream.iterations : tile;
  return (window(stream, 0, count, 0, stream.bytes).bytes() + 2 * alignment - 2) / alignment * alignment;
}

std::uint64_t all_buffers_bytes(taihu_stage& stage, std::uint64_t tile) {
  std::uint64_t bytes = alignment - 1;
  for (const taihu_stream& stream : streams_of(stage)) {
    if (!is(stream, TAIHU_STREAM_STAGED) || stream.copy != nullptr) continue;
    const std::uint64_t buffers = is_kept(stream) || tile == stage.iterations ? 1 : 2;
    bytes += buffers * buffer_bytes(stream, tile);
  }
  return bytes;
}

void wait(int32_t& reply) {
  if (reply != 0) dma_wait(&reply, 1);
  reply = 0;
}

/// Its window is fetched as a whole and may stay when the stage has ended.
bool may_stay(const taihu_stream& stream) {
  return stream.version != nullptr && is(stream, TAIHU_STREAM_STAGED | TAIHU_STREAM_READ) &&
         !is(stream, TAIHU_STREAM_WRITTEN);
}

/// A copy of the stream's whole window, whose begin lies at `place`.
void set_copy(taihu_stream& stream, char* place) {
  stream.copy = place;
  if (place == nullptr) return;
  char* const half = place - whole(stream).begin % static_cast<std::int64_t>(alignment);
  stream.halves[0] = stream.halves[1] = half;
  stream.got[0] = stream.got[1] = stream.put[0] = stream.put[1] = 0;
}

void release_copies(taihu_stage& stage, KeptCopies& copies) {
  for (taihu_stream& stream : streams_of(stage)) {
    if (stream.copy == nullptr) continue;
    wait(stream.got[0]);
    copies.release(stream.copy);
  }
}

/// Copies that earlier stages have left.
void find_copies(taihu_stage& stage, KeptCopies& copies) {
  for (taihu_stream& stream : streams_of(stage)) {
    stream.copy = nullptr;
    if (!may_stay(stream)) continue;
    const Window all = whole(stream);
    set_copy(stream, find_copy(copies, byte_at(all.begin), all.bytes(), stream.version));
  }
}

/// Room for copies that are to stay; their transfers begin.
void make_copies(taihu_stage& stage, std::uint64_t tile, KeptCopies& copies) {
  for (taihu_stream& stream : streams_of(stage)) {
    if (!may_stay(stream) || stream.copy != nullptr || (!is_kept(stream) && tile != stage.iterations))
      continue;
    const Window all = whole(stream);
    void* place = make_copy(copies, byte_at(all.begin), all.bytes(), stream.version);
    set_copy(stream, static_cast<char*>(place));
    if (place != nullptr) dma_iget(place, byte_at(all.begin), all.bytes(), &stream.got[0]);
  }
}

/// Sets the length of tiles and the places of buffers. Copies that are not in use make way for them.
bool allocate_buffers(taihu_stage& stage, AcceleratorThread& thread) {
  KeptCopies& copies = *thread.copies;
  std::uint64_t tile = std::min(stage.tile, stage.iterations);
  const std::uint64_t shortest = std::min(stage.iterations, shortest_tile);
  find_copies(stage, copies);
  copies.make_room(all_buffers_bytes(stage, tile));
  const std::uint64_t room = thread.scratchpad->available_bytes();
  while (tile > shortest && all_buffers_bytes(stage, tile) > room) tile = std::max(tile / 2, shortest);
  if (all_buffers_bytes(stage, tile) <= room) make_copies(stage, tile, copies);
  stage.buffers = copies.allocate(all_buffers_bytes(stage, tile));
  if (stage.buffers == nullptr) {
    release_copies(stage, copies);
    return false;
  }
  stage.tile = tile;
  auto place = reinterpret_cast<std::uintptr_t>(stage.buffers);
  place = (place + alignment - 1) / alignment * alignment;
  for (taihu_stream& stream : streams_of(stage)) {
    if (!is(stream, TAIHU_STREAM_STAGED) || stream.copy != nullptr) continue;
    const bool has_two = is_tiled(stream) && tile != stage.iterations;
    for (int half = 0; half < 2; ++half) {
      stream.halves[half] = half == 0 || has_two ? reinterpret_cast<char*>(place) : nullptr;
      stream.got[half] = stream.put[half] = 0;
      if (half == 0 || has_two) place += buffer_bytes(stream, tile);
    }
  }
  return true;
}

std::uint64_t count_of(const taihu_stage& stage, std::uint64_t turn) {
  return std::min(stage.tile, stage.iterations - turn * stage.tile);
}
Window window_of(const taihu_stage& stage, const taihu_stream& stream, std::uint64_t turn) {
  if (is_kept(stream)) return whole(stream);
  return window(stream, turn * stage.tile, count_of(stage, turn), 0, stream.bytes);
}

/// Where `address` of the window of tile `turn` lies in the scratchpad; it may be outside of the window.
char* near_address(const taihu_stream& stream, const Window& in, std::uint64_t turn, std::int64_t address) {
  char* const begin = stream.halves[turn % 2] + in.begin % static_cast<std::int64_t>(alignment);
  return byte_at(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(begin)) + (address - in.begin));
}

/// Of a written stream only what the tile before does not have: that part is handed on by it.
void get_window(taihu_stage& stage, taihu_stream& stream, std::uint64_t turn) {
  if (!is(stream, TAIHU_STREAM_READ)) return;
  const Window in = window_of(stage, stream, turn);
  Window part = in;
  if (is(stream, TAIHU_STREAM_WRITTEN)) {
    wait(stream.put[turn % 2]);
    if (turn > 0) {
      const Window before = window_of(stage, stream, turn - 1);
      if (stream.step > 0)
        part.begin = std::max(part.begin, before.end);
      else
        part.end = std::min(part.end, before.begin);
    }
  }
  if (part.begin >= part.end) return;
  dma_iget(near_address(stream, in, turn, part.begin), byte_at(part.begin), part.bytes(),
           &stream.got[turn % 2]);
}

void put_window(const taihu_stage& stage, taihu_stream& stream, std::uint64_t turn) {
  if (!is(stream, TAIHU_STREAM_WRITTEN)) return;
  const std::uint64_t first = is_kept(stream) ? 0 : turn * stage.tile;
  const std::uint64_t count = is_kept(stream) ? stream.iterations : count_of(stage, turn);
  const Window written = window(stream, first, count, stream.written_offset, stream.written_bytes);
  const Window in = window_of(stage, stream, turn);
  dma_iput(byte_at(written.begin), near_address(stream, in, turn, written.begin), written.bytes(),
           &stream.put[turn % 2]);
}

/// What both tiles see is newest in the earlier one.
void hand_on(const taihu_stage& stage, taihu_stream& stream, std::uint64_t turn) {
  if (!is(stream, TAIHU_STREAM_READ | TAIHU_STREAM_WRITTEN)) return;
  const Window from = window_of(stage, stream, turn - 1), to = window_of(stage, stream, turn);
  const Window both{std::max(from.begin, to.begin), std::min(from.end, to.end)};
  if (both.begin >= both.end) return;
  std::memcpy(near_address(stream, to, turn, both.begin), near_address(stream, from, turn - 1, both.begin),
              both.bytes());
  if (scratchpad_model::Core* core = current_core()) {
    const std::uint64_t words = (both.bytes() + 7) / 8;
    core->count_accesses(TAIHU_ACCESS_LOAD, TAIHU_PLACE_SCRATCHPAD, words);
    core->count_accesses(TAIHU_ACCESS_STORE, TAIHU_PLACE_SCRATCHPAD, words);
  }
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

int32_t taihu_stage_begin(taihu_stage* stage) {
  AcceleratorThread* thread = current_accelerator_thread();
  if (thread == nullptr || !can_be_staged(*stage, *thread->scratchpad)) return 0;
  const auto has_buffers = [&] { return is_any_staged(*stage) && allocate_buffers(*stage, *thread); };
  if (!has_buffers() && (!leave_tables(*stage) || !has_buffers())) return 0;
  for (taihu_stream& stream : streams_of(*stage))
    if (is(stream, TAIHU_STREAM_STAGED) && stream.copy == nullptr) get_window(*stage, stream, 0);
  for (taihu_stream& stream : streams_of(*stage)) {
    if (!is_kept(stream) && stream.copy == nullptr) continue;
    wait(stream.got[0]);
    stream.near_memory = near_address(stream, whole(stream), 0, address_of(stream));
  }
  return 1;
}

uint64_t taihu_stage_turn(taihu_stage* stage) {
  const std::uint64_t turn = stage->turn++;
  const bool is_last = count_of(*stage, turn) == stage->iterations - turn * stage->tile;
  for (taihu_stream& stream : streams_of(*stage)) {
    if (!is_tiled(stream) || turn == 0) continue;
    put_window(*stage, stream, turn - 1);
    hand_on(*stage, stream, turn);
  }
  for (taihu_stream& stream : streams_of(*stage)) {
    if (!is_tiled(stream)) continue;
    if (!is_last) get_window(*stage, stream, turn + 1);
  }
  for (taihu_stream& stream : streams_of(*stage)) {
    if (!is(stream, TAIHU_STREAM_STAGED) || is_kept(stream)) continue;
    wait(stream.got[turn % 2]);
    wait(stream.put[turn % 2]);
    const std::int64_t first =
        address_of(stream) + stream.step * static_cast<std::int64_t>(turn * stage->tile);
    const Window in = stream.copy != nullptr ? whole(stream) : window_of(*stage, stream, turn);
    stream.near_memory = near_address(stream, in, turn, first);
  }
  return count_of(*stage, turn);
}

void taihu_stage_end(taihu_stage* stage) {
  for (taihu_stream& stream : streams_of(*stage)) {
    if (is_kept(stream)) put_window(*stage, stream, 0);
    if (is_tiled(stream)) put_window(*stage, stream, stage->turn - 1);
  }
  for (taihu_stream& stream : streams_of(*stage)) {
    if (!is(stream, TAIHU_STREAM_STAGED)) continue;
    wait(stream.put[0]);
    wait(stream.put[1]);
  }
  AcceleratorThread& thread = *current_accelerator_thread();
  release_copies(*stage, *thread.copies);
  thread.scratchpad->release(stage->buffers);
}

}  // extern "C"
