// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/files/two_phase.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "taihu/mpi/work/files/coverage.h"

namespace taihu::mpi::files {
namespace {

/// Longer pieces of the file are not worth another copy.
constexpr std::int64_t long_piece_bytes = 16 * 1024;
/// At least one byte of so many must be data.
constexpr std::int64_t least_density = 8;

void note_error(Board& board, int error_number) noexcept {
  int none = 0;
  board.error_number.compare_exchange_strong(none, error_number, std::memory_order_relaxed);
}

/// Calls visit(position, memory cursor, bytes) for the pieces of a wish in [begin, end) of the file.
template <class Visit>
void for_each_piece(const Wish& wish, std::int64_t begin, std::int64_t end, Visit&& visit) {
  if (wish.bytes == 0 || wish.high <= begin || wish.low >= end) return;
  const std::int64_t last = wish.first + wish.bytes;
  const std::int64_t from = std::max(wish.first, wish.file->data_below(begin));
  if (from >= last) return;
  Cursor place(*wish.file, from);
  Cursor memory(*wish.memory, from - wish.first);
  while (place.position() < end && place.data() < last) {
    const std::int64_t bytes = std::min({place.available(), end - place.position(), last - place.data()});
    visit(place.position(), memory, bytes);
    place.advance(bytes);
  }
}

/// Calls work(begin, end) for chunks until none is left or one has failed.
template <class Work>
void take_chunks(Board& board, const Plan& plan, Work&& work) noexcept {
  // Chunks start at multiples of their length, so that they do not share pages of the file.
  const std::int64_t chunk_bytes = plan.chunk_bytes;
  const std::int64_t origin = plan.low / chunk_bytes;
  try {
    while (board.error_number.load(std::memory_order_relaxed) == 0) {
      const std::int64_t chunk = origin + board.next_chunk.fetch_add(1, std::memory_order_relaxed);
      const std::int64_t begin = std::max(plan.low, chunk * chunk_bytes);
      const std::int64_t end = std::min(plan.high, (chunk + 1) * chunk_bytes);
      if (begin >= end) break;
      work(begin, end);
    }
  } catch (int error_number) {
    note_error(board, error_number);
  } catch (const std::bad_alloc&) {
    note_error(board, ENOMEM);
  }
}

bool overlap(std::vector<const Wish*>& wishes) {
  std::sort(wishes.begin(), wishes.end(), [](const Wish* a, const Wish* b) { return a->low < b->low; });
  for (std::size_t i = 1; i < wishes.size(); ++i)
    if (wishes[i]->low < wishes[i - 1]->high) return true;
  return false;
}

}  // namespace

Wish make_wish(const Pattern& view, std::int64_t first, const Pattern& memory, std::int64_t bytes) noexcept {
  if (bytes == 0) return {};
  Wish wish{&view, &memory, first, bytes, 0, 0, {}};
  wish.low = Cursor(view, first).position();
  wish.high = Cursor(view, first + bytes - 1).position() + 1;
  return wish;
}

Plan plan_of(std::span<const Wish> wishes) noexcept {
  Plan plan;
  const Buffering buffering = wishes.front().hints.collective_buffering;
  plan.chunk_bytes = wishes.front().hints.buffer_bytes;
  if (buffering == Buffering::never) return plan;
  std::vector<const Wish*> active;
  std::int64_t bytes = 0, pieces = 0;
  for (const Wish& wish : wishes) {
    if (wish.bytes == 0) continue;
    if (!wish.file->ascending) return plan;
    plan.low = active.empty() ? wish.low : std::min(plan.low, wish.low);
    plan.high = active.empty() ? wish.high : std::max(plan.high, wish.high);
    bytes += wish.bytes;
    pieces += 1 + wish.bytes / wish.file->mean_run();
    active.push_back(&wish);
  }
  if (active.empty()) return plan;
  const bool worth_it = bytes / pieces < long_piece_bytes && (plan.high - plan.low) / least_density <= bytes;
  plan.two_phase = buffering == Buffering::always || (worth_it && overlap(active));
  return plan;
}

void read_chunks(SharedFile& file, Board& board, const Plan& plan, Staging& staging) noexcept {
  take_chunks(board, plan, [&](std::int64_t begin, std::int64_t end) {
    std::byte* const block = staging.bytes(static_cast<std::size_t>(plan.chunk_bytes));
    const std::int64_t present = begin + file.read(begin, block, end - begin);
    if (present < end) {
      std::int64_t lowest = board.end_of_file.load(std::memory_order_relaxed);
      while (present < lowest &&
             !board.end_of_file.compare_exchange_weak(lowest, present, std::memory_order_relaxed)) {
      }
    }
    for (const Wish& wish : board.wishes) {
      for_each_piece(wish, begin, present, [&](std::int64_t position, Cursor& memory, std::int64_t bytes) {
        scatter(memory, block + (position - begin), bytes);
      });
    }
  });
}

void write_chunks(SharedFile& file, Board& board, const Plan& plan, Staging& staging) noexcept {
  take_chunks(board, plan, [&](std::int64_t begin, std::int64_t end) {
    std::byte* const block = staging.bytes(static_cast<std::size_t>(plan.chunk_bytes));
    Coverage coverage(end - begin);
    for (const Wish& wish : board.wishes) {
      for_each_piece(wish, begin, end, [&](std::int64_t position, Cursor& memory, std::int64_t bytes) {
        gather(memory, block + (position - begin), bytes);
        coverage.add(position - begin, bytes);
      });
    }
    coverage.for_each_stretch([&](std::int64_t first, std::int64_t bytes) {
      if (file.write(begin + first, block + first, bytes) < bytes) throw ENOSPC;
    });
  });
}

std::int64_t bytes_read(const Wish& wish, const Board& board) noexcept {
  if (wish.bytes == 0) return 0;
  const std::int64_t below =
      wish.file->data_below(board.end_of_file.load(std::memory_order_relaxed)) - wish.first;
  return std::clamp<std::int64_t>(below, 0, wish.bytes);
}

}  // namespace taihu::mpi::files
