// SPDX-License-Identifier: Apache-2.0
// A lock-free ring of 64-byte cells from one producer to one consumer. A message is a header cell, whose last
// 40 bytes already hold payload, and as many further cells as the payload needs; it never wraps, so the
// consumer reads the payload in place. The header carries the number of the lap as its "full" mark: data and
// mark of a short message travel in one cache line, and the consumer polls that line only.
//
// Invariant: the mark of a cell that the consumer may look at is that of the current lap only when a header
// stands there. The consumer looks at the cell behind the newest message; the producer clears its mark before
// it publishes that message, when it had payload there before. So the consumer writes to no cell.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/message/core_distance.h"
#include "taihu/threads/waiting.h"

namespace taihu::message {

inline constexpr std::size_t cell_bytes = 64;
inline constexpr std::size_t inline_bytes = 40;

/// Some 15 to 25 ns between two looks at a cache line. A pause instruction is as long or longer, and times of
/// short messages become multiples of it.
inline void short_pause() noexcept {
#if defined(__x86_64__)
  for (int i = 0; i < 3; ++i) __builtin_ia32_lfence();
#else
  threads::spin_pause();
#endif
}

/// Asks for a cache line that will be written.
inline void prefetch_to_write(const void* address) noexcept {
#if defined(__x86_64__)
  // The builtin asks for a copy to read unless the compiler may use this instruction, which is no more than a
  // hint on processors that lack it.
  __asm__ volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

enum class CellKind : std::uint32_t {
  skip,      ///< nothing up to the end of the ring; `bytes` counts cells
  eager,     ///< `bytes` bytes of payload follow
  announced  ///< the payload is an Announcement
};

struct alignas(cell_bytes) Cell {
  std::uint32_t mark;
  CellKind kind;
  std::uint64_t context;
  std::int32_t tag;
  std::uint32_t bytes;
  std::byte payload[inline_bytes];
};
static_assert(sizeof(Cell) == cell_bytes);

class CellRing {
 public:
  /// `cells`: a power of two, at least twice the cells of the longest message. One of them stays free.
  explicit CellRing(std::uint32_t cells)
      : mask_(cells - 1),
        shift_(std::countr_zero(cells)),
        cells_(static_cast<Cell*>(std::aligned_alloc(cell_bytes, cells * sizeof(Cell)))),
        had_payload_(cells) {
    for (std::uint32_t i = 0; i < cells; ++i) cells_.get()[i] = Cell{};
  }

  /// A power of two or a multiple of eight: in streams of one size headers then stand where headers stood
  /// before, and no mark needs clearing, which would cost the way to the other core once more.
  static std::uint32_t cells_for(std::size_t bytes) noexcept {
    if (bytes <= inline_bytes) return 1;
    const auto needed = 1 + static_cast<std::uint32_t>((bytes - inline_bytes + cell_bytes - 1) / cell_bytes);
    return needed <= 8 ? std::bit_ceil(needed) : (needed + 7) / 8 * 8;
  }

  /// Producer: the header cell for a message of `bytes` bytes, or null when there is no room. Fill it, then
  /// `publish`.
  Cell* reserve(std::size_t bytes) noexcept {
    const std::uint32_t needed = cells_for(bytes);
    const std::uint32_t to_end = mask_ + 1 - static_cast<std::uint32_t>(tail_ & mask_);
    const bool skips = needed > to_end;
    if (!has_room(skips ? needed + to_end : needed)) return nullptr;
    if (skips) {
      Cell& skipped = cell(tail_);
      skipped.kind = CellKind::skip;
      skipped.bytes = to_end;
      publish(to_end);
    }
    return &cell(tail_);
  }

  /// As reserve, for a message of one cell.
  Cell* reserve_one() noexcept { return has_room(1) ? &cell(tail_) : nullptr; }

  /// Producer: of the consumer's core.
  const CoreDistance& distance() const noexcept { return distance_; }

  /// Producer: makes the reserved message of `cells` cells visible.
  void publish(std::uint32_t cells) noexcept {
    if (cells > 1) std::memset(&had_payload_[(tail_ & mask_) + 1], 1, cells - 1);
    publish_header(cells);
  }
  void publish_one() noexcept { publish_header(1); }

  /// Producer, when more messages will follow soon: asks for the cells that they will fill, so that the ways
  /// of several cache lines overlap.
  void prepare_more() const noexcept { prefetch_to_write(&cell(tail_ + cells_ahead)); }
  /// Consumer: the same, when there are more messages than one. Cells that the producer is about to fill
  /// would be taken away from it in vain.
  void expect_more() const noexcept { __builtin_prefetch(&cell(head_ + cells_expected)); }

  /// Consumer: the oldest message, or null.
  Cell* front() noexcept {
    Cell* header = peek();
    if (header != nullptr && header->kind == CellKind::skip) {
      release(header->bytes);
      header = peek();
    }
    return header;
  }

  /// Consumer: as front, looking up to `turns` times, as long as `may_go_on()` says so. The cells behind the
  /// header that a message of `expected_bytes` would fill are asked for together with it.
  template <class MayGoOn>
  Cell* wait_front(int turns, std::size_t expected_bytes, MayGoOn&& may_go_on) noexcept {
    Cell& header = cell(head_);
    const std::uint32_t asked = std::min(cells_for(expected_bytes), cells_asked_for);
    const std::uint32_t mark = lap_mark(head_);
    for (int turn = 0; turn < turns; ++turn) {
      if (std::atomic_ref(header.mark).load(std::memory_order_acquire) == mark)
        return header.kind == CellKind::skip ? front() : &header;
      if (!may_go_on()) break;
      for (std::uint32_t i = 1; i < asked; ++i) __builtin_prefetch(&cell(head_ + i));
      // Looks that follow each other at once cost more than the pause: the line arrives later.
      short_pause();
    }
    return nullptr;
  }

  /// Consumer: gives the cells of the oldest message back.
  void pop(std::uint32_t cells) noexcept { release(cells); }

 private:
  static constexpr std::uint32_t cells_asked_for = 8;
  static constexpr std::uint32_t cells_ahead = 8;     // of the producer
  static constexpr std::uint32_t cells_expected = 4;  // by the consumer

  struct Free {
    void operator()(Cell* cells) const noexcept { std::free(cells); }
  };

  Cell& cell(std::uint64_t position) const noexcept { return cells_.get()[position & mask_]; }

  /// Never zero; equal for two positions of one cell only 2^31 laps apart.
  std::uint32_t lap_mark(std::uint64_t position) const noexcept {
    return static_cast<std::uint32_t>(position >> shift_) | 0x80000000U;
  }

  /// For a message of `cells` cells and the one behind it.
  bool has_room(std::uint32_t cells) noexcept {
    if (tail_ + cells - released_seen_ <= mask_) return true;
    const std::int64_t start = now_ns();
    released_seen_ = released_.load(std::memory_order_acquire);
    distance_.learn(now_ns() - start);
    return tail_ + cells - released_seen_ <= mask_;
  }

  void publish_header(std::uint32_t cells) noexcept {
    const std::uint64_t next = tail_ + cells;
    if (had_payload_[next & mask_] != 0) {
      had_payload_[next & mask_] = 0;
      // The cell is free: has_room leaves one beyond the message.
      std::atomic_ref(cell(next).mark).store(0, std::memory_order_relaxed);
    }
    std::atomic_ref(cell(tail_).mark).store(lap_mark(tail_), std::memory_order_release);
    tail_ = next;
  }

  Cell* peek() noexcept {
    Cell& header = cell(head_);
    return std::atomic_ref(header.mark).load(std::memory_order_acquire) == lap_mark(head_) ? &header
                                                                                           : nullptr;
  }

  void release(std::uint32_t cells) noexcept {
    head_ += cells;
    released_.store(head_, std::memory_order_release);
  }

  const std::uint64_t mask_;
  const int shift_;
  const std::unique_ptr<Cell, Free> cells_;

  alignas(cell_bytes) std::uint64_t tail_ = 0;  // producer's
  std::uint64_t released_seen_ = 0;             // producer's copy of released_
  std::vector<std::uint8_t> had_payload_;       // producer's: the cell's mark may be anything
  CoreDistance distance_;                       // producer's

  // Not beside the producer's line, with which processors would fetch it.
  alignas(2 * cell_bytes) std::uint64_t head_ = 0;  // consumer's
  std::atomic<std::uint64_t> released_{0};          // written by the consumer
};

}  // namespace taihu::message
