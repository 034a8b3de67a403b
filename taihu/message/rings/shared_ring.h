// SPDX-License-Identifier: Apache-2.0
// The way of records from one node process to another of the same machine, in memory that both have mapped:
// one writer, one reader, each under the lock of its node.
//
// Lines of 64 bytes hold records; the mark that says "full" is a number of the lap in the first word of a
// record, next to its kind and length, so that a short record moves one cache line. Packed records of one or
// two cells share a line; all others begin one. (Longer ones that shared lines would make fewer of them move,
// but the reader would have those fetched that the writer writes to.) What does not fit there stands in a
// second ring of bytes, and the record tells where. The reader gives both back in order.
//
// A cell that held the middle of a record in the lap before may look like anything, so the writer clears its
// word before it publishes the record in front of it. All equations: `check_invariants` of either side
// (ring_invariants.cc).
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/base/contract.h"
#include "taihu/message/rings/core_distance.h"
#include "taihu/message/rings/prefetch.h"

namespace taihu::message {

inline constexpr std::size_t shared_line_bytes = 64;
inline constexpr std::size_t shared_cell_bytes = 16;

/// What the two sides share; in a region of `SharedRingShape::region_bytes`, which begins as zeros.
struct SharedRingHead {
  alignas(shared_line_bytes) std::atomic<std::uint64_t> cells_released;
  std::atomic<std::uint64_t> bytes_released;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

struct SharedRingShape {
  std::uint32_t lines = 1024;       ///< power of two
  std::size_t bytes = 1024 * 1024;  ///< of the second ring; power of two, at least 4096

  static constexpr std::size_t head_bytes = 4096;
  /// Of the TallyLine (tally_line.h) in the head; further behind the SharedRingHead than a core fetches at
  /// once.
  static constexpr std::size_t tallies_offset = 1024;
  /// Of the JointCopyLines (links/joint_copy.h).
  static constexpr std::size_t joint_copy_offset = 2048;
  std::size_t region_bytes() const noexcept { return head_bytes + lines * shared_line_bytes + bytes; }
  /// Longest payload of a record.
  std::size_t longest_record() const noexcept {
    return lines / 8 * shared_line_bytes - sizeof(std::uint64_t);
  }
};

namespace shared_ring {

inline constexpr int mark_shift = 32;
inline constexpr std::uint32_t line_cells = shared_line_bytes / shared_cell_bytes;
/// Never zero; equal for two positions of one cell only 2^31 laps apart. `shift`: the logarithm of the number
/// of cells.
inline std::uint32_t lap_mark(std::uint64_t position, int shift) noexcept {
  return static_cast<std::uint32_t>(position >> shift) | 0x80000000U;
}
inline std::uint32_t lines_of(std::size_t bytes) noexcept {
  return static_cast<std::uint32_t>((sizeof(std::uint64_t) + bytes + shared_line_bytes - 1) /
                                    shared_line_bytes);
}
/// Of a packed record.
inline std::uint32_t packed_cells_of(std::size_t bytes) noexcept {
  return static_cast<std::uint32_t>((sizeof(std::uint64_t) + bytes + shared_cell_bytes - 1) /
                                    shared_cell_bytes);
}
/// Of a record that takes whole lines.
inline std::uint32_t cells_of(std::size_t bytes) noexcept {
  return line_cells * lines_of(bytes);
}
inline constexpr std::uint8_t skip_kind = 0xff;  ///< the length is in cells

}  // namespace shared_ring

/// The kind of packed records, and what they have at most.
inline constexpr std::uint8_t packed_kind = 0xfe;
inline constexpr std::size_t most_packed_bytes = 2 * shared_cell_bytes - sizeof(std::uint64_t);

/// Where a region has what.
class SharedRingSide {
 protected:
  SharedRingSide(std::byte* region, const SharedRingShape& shape)
      : head_(*reinterpret_cast<SharedRingHead*>(region)),
        lines_(region + SharedRingShape::head_bytes),
        bytes_(lines_ + shape.lines * shared_line_bytes),
        cell_count_(shape.lines * shared_ring::line_cells),
        shift_(std::countr_zero(cell_count_)),
        byte_count_(shape.bytes) {
    expect(std::has_single_bit(shape.lines) && std::has_single_bit(shape.bytes) && shape.bytes >= 4096,
           "lines and bytes of a shared ring: powers of two, at least 4096 bytes");
  }

  std::byte* cell(std::uint64_t position) const noexcept {
    return lines_ + (position & (cell_count_ - 1)) * shared_cell_bytes;
  }
  std::uint64_t& word(std::uint64_t position) const noexcept {
    return *reinterpret_cast<std::uint64_t*>(cell(position));
  }
  static bool begins_line(std::uint64_t position) noexcept { return position % shared_ring::line_cells == 0; }

  SharedRingHead& head_;
  std::byte* const lines_;
  std::byte* const bytes_;
  const std::uint32_t cell_count_;
  const int shift_;
  const std::size_t byte_count_;
};

/// The writer's side. One thread at a time.
class SharedRingWriter : SharedRingSide {
 public:
  SharedRingWriter(std::byte* region, const SharedRingShape& shape)
      : SharedRingSide(region, shape), had_payload_(shape.lines) {}

  /// Where to write `bytes` of a record before `publish`; null when there is no room.
  std::byte* reserve(std::size_t bytes) noexcept {
    const std::uint32_t needed = shared_ring::cells_of(bytes);
    const std::uint32_t skipped = cells_skipped(needed);
    if (!has_cells(needed + skipped)) return nullptr;
    if (skipped != 0) publish_word(shared_ring::skip_kind, skipped, skipped);
    return cell(tail_) + sizeof(std::uint64_t);
  }
  /// Whether `reserve` would succeed.
  bool has_room(std::size_t bytes) noexcept {
    const std::uint32_t needed = shared_ring::cells_of(bytes);
    return has_cells(needed + cells_skipped(needed));
  }
  /// Publishes what `reserve` gave the place for; `kind` below packed_kind.
  void publish(std::uint8_t kind, std::size_t bytes) noexcept {
    const std::uint32_t lines = shared_ring::lines_of(bytes);
    if (lines > 1) {
      std::uint8_t* const had_payload = &had_payload_[line_of(tail_) + 1];
      *had_payload = 1;
      if (lines > 2) std::memset(had_payload, 1, lines - 1);
    }
    publish_word(kind, bytes, lines * shared_ring::line_cells);
  }
  /// As reserve, for a packed record.
  std::byte* reserve_packed(std::size_t bytes) noexcept {
    const std::uint32_t needed = shared_ring::packed_cells_of(bytes);
    const auto to_line = static_cast<std::uint32_t>(-tail_ % shared_ring::line_cells);
    const bool must_skip = to_line != 0 && to_line < needed;
    if (!has_cells(must_skip ? needed + to_line : needed)) return nullptr;
    if (must_skip) [[unlikely]]
      publish_word(shared_ring::skip_kind, to_line, to_line);
    return cell(tail_) + sizeof(std::uint64_t);
  }
  /// Publishes what `reserve_packed` gave the place for.
  void publish_packed(std::size_t bytes) noexcept {
    publish_word(packed_kind, bytes, shared_ring::packed_cells_of(bytes));
  }

  /// Whether the reader has given back all that was published.
  bool is_read() noexcept {
    if (cells_released_seen_ != tail_) look_at_released();
    return cells_released_seen_ == tail_;
  }

  /// `bytes` in the second ring, and the position that the reader needs; null when there is no room. They
  /// belong to the record that is published next.
  std::byte* reserve_bytes(std::size_t bytes, std::uint64_t* position) noexcept {
    if (!has_bytes(bytes)) return nullptr;
    const std::size_t to_end = byte_count_ - (bytes_tail_ & (byte_count_ - 1));
    if (bytes > to_end) bytes_tail_ += to_end;
    *position = bytes_tail_;
    bytes_tail_ += rounded(bytes);
    return bytes_ + (*position & (byte_count_ - 1));
  }
  bool has_bytes(std::size_t bytes) noexcept {
    const std::size_t to_end = byte_count_ - (bytes_tail_ & (byte_count_ - 1));
    const std::uint64_t needed = bytes > to_end ? to_end + rounded(bytes) : rounded(bytes);
    if (bytes_tail_ + needed - bytes_released_seen_ <= byte_count_) return true;
    look_at_released();
    return bytes_tail_ + needed - bytes_released_seen_ <= byte_count_;
  }

  /// The equations of the writer's side; contract builds check them once in a lap.
  void check_invariants() const;

  /// Of the reader's core. Any thread.
  const CoreDistance& distance() const noexcept { return distance_; }
  /// Asked for by one look more.
  const CoreDistance& look_at_distance() noexcept {
    look_at_released();
    return distance_;
  }

 private:
  static constexpr std::uint32_t cells_ahead = 8 * shared_ring::line_cells;

  std::size_t line_of(std::uint64_t position) const noexcept {
    return (position & (cell_count_ - 1)) / shared_ring::line_cells;
  }
  /// Behind the newest record, before one of whole lines that take `needed` cells.
  std::uint32_t cells_skipped(std::uint32_t needed) const noexcept {
    const auto to_line = static_cast<std::uint32_t>(-tail_ % shared_ring::line_cells);
    const auto to_end = static_cast<std::uint32_t>(cell_count_ - (tail_ & (cell_count_ - 1)));
    return needed + to_line > to_end ? to_end : to_line;
  }

  static constexpr std::uint64_t rounded(std::size_t bytes) noexcept {
    return (bytes + shared_line_bytes - 1) / shared_line_bytes * shared_line_bytes;
  }

  /// A line that the reader has not changed since is not fetched from its core and tells nothing of the
  /// distance. Both counts lie in it: who looked at one would find the other one near at the next look.
  void look_at_released() noexcept {
    const std::int64_t start = now_ns();
    const std::uint64_t cells = head_.cells_released.load(std::memory_order_acquire);
    const std::uint64_t bytes = head_.bytes_released.load(std::memory_order_acquire);
    const std::int64_t end = now_ns();
    if (cells == cells_released_seen_ && bytes == bytes_released_seen_) return;
    cells_released_seen_ = cells;
    bytes_released_seen_ = bytes;
    // One that took long may have been interrupted.
    const bool was_long = took_long_;
    took_long_ = CoreDistance::is_far(end - start);
    if (!took_long_ || was_long) distance_.learn(end - start);
  }

  /// For a record of so many cells and the line of the one behind it.
  bool has_cells(std::uint32_t cells) noexcept {
    if (tail_ + cells + shared_ring::line_cells - cells_released_seen_ <= cell_count_) return true;
    look_at_released();
    return tail_ + cells + shared_ring::line_cells - cells_released_seen_ <= cell_count_;
  }

  void publish_word(std::uint8_t kind, std::size_t length, std::uint32_t cells) noexcept {
    const std::uint64_t next = tail_ + cells;
    if (begins_line(next)) {
      std::uint8_t& had_payload = had_payload_[line_of(next)];
      if (had_payload != 0) {
        had_payload = 0;
        std::atomic_ref(word(next)).store(0, std::memory_order_relaxed);
      }
    } else {  // in the line that is written anyway
      std::atomic_ref(word(next)).store(0, std::memory_order_relaxed);
    }
    const std::uint64_t full = std::uint64_t{shared_ring::lap_mark(tail_, shift_)}
                                   << shared_ring::mark_shift |
                               static_cast<std::uint32_t>(length) << 8 | kind;
    std::atomic_ref(word(tail_)).store(full, std::memory_order_release);
    tail_ = next;
    if constexpr (contracts_checked)
      if ((next & (cell_count_ - 1)) < cells) check_invariants();
    // The ways of the lines to come overlap.
    if (!begins_line(next)) return;
    for (std::uint32_t i = 0; i < cells; i += shared_ring::line_cells)
      prefetch_to_write(cell(next + cells_ahead + i));
  }

  std::uint64_t tail_ = 0;
  std::uint64_t cells_released_seen_ = 0;
  std::uint64_t bytes_tail_ = 0;
  std::uint64_t bytes_released_seen_ = 0;
  CoreDistance distance_;
  bool took_long_ = false;                 // the look before
  std::vector<std::uint8_t> had_payload_;  // by line: its word may be anything
};

/// A record as its reader sees it, in place.
struct SharedRecord {
  std::uint8_t kind;
  std::size_t bytes;
  const std::byte* payload;
};

/// The reader's side. One thread at a time.
class SharedRingReader : SharedRingSide {
 public:
  SharedRingReader(std::byte* region, const SharedRingShape& shape) : SharedRingSide(region, shape) {}

  /// Whether there is a record; the oldest is in `record` then, until `pop`.
  bool front(SharedRecord& record) noexcept {
    for (;;) {
      const std::uint64_t full = std::atomic_ref(word(position_)).load(std::memory_order_acquire);
      if (full >> shared_ring::mark_shift != shared_ring::lap_mark(position_, shift_)) return false;
      record.kind = static_cast<std::uint8_t>(full & 0xff);
      record.bytes = static_cast<std::uint32_t>(full) >> 8;
      if (record.kind != shared_ring::skip_kind) [[likely]] {
        record.payload = cell(position_) + sizeof full;
        return true;
      }
      release(static_cast<std::uint32_t>(record.bytes));
    }
  }
  void pop(const SharedRecord& record) noexcept {
    release(record.kind == packed_kind ? shared_ring::packed_cells_of(record.bytes)
                                       : shared_ring::cells_of(record.bytes));
  }

  /// When many short records come: asks for a line that the writer has filled or will soon.
  void expect_more() const noexcept { __builtin_prefetch(cell(position_ + cells_expected)); }

  /// Of the second ring.
  const std::byte* bytes_at(std::uint64_t position) const noexcept {
    return bytes_ + (position & (byte_count_ - 1));
  }
  /// `bytes` at `position`, and all before them, may be written again.
  void release_bytes(std::uint64_t position, std::size_t bytes) noexcept {
    const std::uint64_t end =
        position + (bytes + shared_line_bytes - 1) / shared_line_bytes * shared_line_bytes;
    head_.bytes_released.store(end, std::memory_order_release);
  }

  /// The equations of the reader's side; contract builds check them once in a lap.
  void check_invariants() const;

 private:
  static constexpr std::uint32_t cells_expected = 3 * shared_ring::line_cells;

  void release(std::uint32_t cells) noexcept {
    position_ += cells;
    head_.cells_released.store(position_, std::memory_order_release);
    if constexpr (contracts_checked)
      if ((position_ & (cell_count_ - 1)) < cells) check_invariants();
  }

  std::uint64_t position_ = 0;
};

}  // namespace taihu::message
