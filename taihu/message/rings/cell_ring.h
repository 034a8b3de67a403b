// SPDX-License-Identifier: Apache-2.0
// A lock-free ring of 16-byte cells from one producer to one consumer. A message is a header and its payload
// behind it; it never wraps, so the consumer reads the payload in place. The first word of the header tells
// kind and length, and carries the number of the lap as its "full" mark: data and mark of a short message
// travel in one cache line, and the consumer polls that line only. A message that repeats context and tag of
// the one before leaves them out, so that four short ones fill a cache line: in streams the way of cache
// lines between the cores is what costs most. Longer ones begin a cache line.
//
// Invariant: the mark of a cell that the consumer may look at is that of the current lap only when a header
// stands there. The consumer looks at the cell behind the newest message; the producer clears its mark before
// it publishes that message, when it had payload there before. So the consumer writes to no cell. All
// equations: `check_invariants` (ring_invariants.cc).
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
#include "taihu/threads/waiting.h"

namespace taihu::message {

inline constexpr std::size_t cell_bytes = 16;
inline constexpr std::size_t line_bytes = 64;
inline constexpr std::uint32_t line_cells = line_bytes / cell_bytes;
/// Of payload, in the line of the header in any case.
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

enum class CellKind : std::uint8_t {
  skip,      ///< nothing; the header's length counts cells
  eager,     ///< payload follows
  repeated,  ///< the same, with context and tag of the message before
  announced  ///< the payload is an Announcement
};

struct alignas(cell_bytes) Cell {
  std::uint64_t word;  ///< of a header: mark, length, kind, from above
  std::byte rest[8];   ///< of a header: context, and the tag in the next cell; or the payload
};
static_assert(sizeof(Cell) == cell_bytes);

/// A message in the ring, as the consumer sees it.
struct InRing {
  CellKind kind;  ///< eager, repeated or announced
  std::uint32_t bytes;
  std::uint32_t cells;
  std::int32_t tag;
  std::uint64_t context;
  const std::byte* payload;
};

class CellRing {
 public:
  /// `lines`: a power of two, at least twice the cache lines of the longest message. One cell stays free.
  /// `zeros`: memory of so many lines, which stays as long as the ring.
  CellRing(std::uint32_t lines, std::byte* zeros)
      : mask_(lines * line_cells - 1),
        shift_(std::countr_zero(lines * line_cells)),
        cells_(reinterpret_cast<Cell*>(zeros)),
        had_payload_(lines * line_cells) {
    expect(std::has_single_bit(lines) && lines >= 2, "lines of a ring: a power of two, at least 2");
    expect(reinterpret_cast<std::uintptr_t>(zeros) % line_bytes == 0, "a ring begins with a cache line");
  }

  /// The longest payload of a message in a ring of so many lines.
  static constexpr std::size_t longest_payload(std::uint32_t lines) noexcept {
    return (lines / 2 - 1) * line_bytes + inline_bytes;
  }

  /// Of this ring.
  std::size_t longest_payload() const noexcept {
    return longest_payload(static_cast<std::uint32_t>(mask_ + 1) / line_cells);
  }

  /// For header and payload together. A power of two or a multiple of eight lines: in streams of one size
  /// headers then stand where headers stood before, and no mark needs clearing, which would cost the way to
  /// the other core once more.
  static std::uint32_t cells_for(std::size_t bytes) noexcept {
    if (bytes <= cell_bytes) return 1;
    if (bytes <= 2 * cell_bytes) return 2;
    return line_cells * lines_for(bytes);
  }

  /// Room for a message, to be filled.
  struct Place {
    std::byte* payload;  ///< null: there is no room
    std::uint32_t cells;
    bool repeats;
  };

  /// Producer: room for a message of `bytes` bytes. Fill it, then `publish`.
  Place reserve(CellKind kind, std::uint64_t context, std::int32_t tag, std::size_t bytes) noexcept {
    expect(bytes <= longest_payload(), "bytes of a message <= longest payload of the ring");
    const bool repeats = kind == CellKind::eager && context == sent_context_ && tag == sent_tag_ &&
                         bytes <= line_bytes - repeated_header_bytes;
    const std::size_t header = repeats ? repeated_header_bytes : header_bytes;
    const std::uint32_t cells = cells_for(header + bytes);
    if (!make_room(cells)) [[unlikely]]
      return {nullptr, 0, false};
    return {reinterpret_cast<std::byte*>(&cell(tail_)) + header, cells, repeats};
  }

  /// Producer: of the consumer's core.
  const CoreDistance& distance() const noexcept { return distance_; }

  /// Producer: makes the message visible that fills `place`; arguments as in `reserve`.
  void publish(const Place& place, CellKind kind, std::uint64_t context, std::int32_t tag,
               std::size_t bytes) noexcept {
    if (!place.repeats) {
      std::byte* const header = reinterpret_cast<std::byte*>(&cell(tail_));
      std::memcpy(header + context_offset, &context, sizeof context);
      std::memcpy(header + tag_offset, &tag, sizeof tag);
      sent_context_ = context;
      sent_tag_ = tag;
    }
    if (place.cells > 1) {
      std::uint8_t* const had_payload = &had_payload_[(tail_ & mask_) + 1];
      *had_payload = 1;
      if (place.cells > 2) std::memset(had_payload, 1, place.cells - 1);
    }
    publish_header(place.repeats ? CellKind::repeated : kind, bytes, place.cells);
  }

  /// Producer, when more messages like the newest, which has taken `cells` for `bytes` of payload, will
  /// follow soon: asks for the cells that they will fill, so that the ways of several cache lines overlap.
  void prepare_more(std::uint32_t cells, std::size_t bytes) const noexcept {
    for_lines_of_later(tail_, cells, bytes, lines_ahead, prefetch_to_write);
  }
  /// Consumer: the same, when there are more messages than one. Cells that the producer is about to fill
  /// would be taken away from it in vain.
  void expect_more(std::uint32_t cells, std::size_t bytes) const noexcept {
    for_lines_of_later(head_, cells, bytes, lines_expected,
                       [](const void* line) { __builtin_prefetch(line); });
  }

  /// Consumer: whether there is a message; the oldest is in `message` then.
  bool front(InRing& message) noexcept {
    for (;;) {
      const std::uint64_t word = std::atomic_ref(cell(head_).word).load(std::memory_order_acquire);
      if (word >> mark_shift != lap_mark(head_)) return false;
      if (kind_in(word) != CellKind::skip) [[likely]] {
        read(word, message);
        return true;
      }
      release(length_in(word));
    }
  }

  /// Consumer: as front, looking up to `turns` times, as long as `may_go_on()` says so. The cells behind the
  /// header that a message of `expected_bytes` would fill are asked for together with it.
  template <class MayGoOn>
  bool wait_front(InRing& message, int turns, std::size_t expected_bytes, MayGoOn&& may_go_on) noexcept {
    const std::uint32_t asked = std::min(lines_for(header_bytes + expected_bytes), lines_asked_for);
    for (int turn = 0; turn < turns; ++turn) {
      if (front(message)) return true;
      if (!may_go_on()) break;
      for (std::uint32_t i = 1; i < asked; ++i) __builtin_prefetch(&cell(head_ + i * line_cells));
      // Looks that follow each other at once cost more than the pause: the line arrives later.
      short_pause();
    }
    return false;
  }

  /// Consumer: gives the cells of the oldest message back.
  void pop(std::uint32_t cells) noexcept { release(cells); }

  /// The equations of either side, by the thread that has it; contract builds check them once in a lap. Both
  /// together where no other thread has a side.
  void check_producer() const;
  void check_consumer() const;
  void check_invariants() const {
    check_producer();
    check_consumer();
  }

 private:
  static constexpr std::uint32_t lines_asked_for = 8;
  static constexpr std::uint32_t lines_ahead = 8;     // of the producer
  static constexpr std::uint32_t lines_expected = 4;  // by the consumer

  static constexpr std::size_t context_offset = 8;
  static constexpr std::size_t tag_offset = 16;
  static constexpr std::size_t header_bytes = 24;
  static constexpr std::size_t repeated_header_bytes = 8;
  static_assert(header_bytes + inline_bytes == line_bytes);

  static constexpr int mark_shift = 32;
  static CellKind kind_in(std::uint64_t word) noexcept { return static_cast<CellKind>(word & 0xff); }
  static std::uint32_t length_in(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word) >> 8;
  }

  /// The lines of a message some `lines` behind `position`, where messages take `cells` each; every line
  /// once.
  template <class Act>
  void for_lines_of_later(std::uint64_t position, std::uint32_t cells, std::size_t bytes, std::uint32_t lines,
                          Act&& act) const noexcept {
    if (cells <= line_cells) {
      if (position % line_cells == 0) act(&cell(position + lines * line_cells));
      return;
    }
    const std::uint64_t first = position + std::max(cells, lines * line_cells);
    const std::size_t used = (header_bytes + bytes + line_bytes - 1) / line_bytes;
    for (std::uint32_t line = 0; line < std::min<std::size_t>(used, lines); ++line)
      act(&cell(first + line * line_cells));
  }

  Cell& cell(std::uint64_t position) const noexcept { return cells_[position & mask_]; }

  static std::uint32_t lines_for(std::size_t bytes) noexcept {
    const auto needed = static_cast<std::uint32_t>((bytes + line_bytes - 1) / line_bytes);
    return needed <= 8 ? std::bit_ceil(needed) : (needed + 7) / 8 * 8;
  }

  /// Never zero; equal for two positions of one cell only 2^31 laps apart.
  std::uint32_t lap_mark(std::uint64_t position) const noexcept {
    return static_cast<std::uint32_t>(position >> shift_) | 0x80000000U;
  }

  /// Producer: so many free cells from tail_ on, at a multiple of their number or of a line.
  bool make_room(std::uint32_t cells) noexcept {
    std::uint32_t skipped = static_cast<std::uint32_t>(-tail_) & (std::min(cells, line_cells) - 1);
    const std::uint32_t to_end = static_cast<std::uint32_t>(mask_ + 1 - (tail_ & mask_));
    if (cells + skipped > to_end) skipped = to_end;
    if (!has_room(cells + skipped)) [[unlikely]]
      return false;
    if (skipped != 0) publish_header(CellKind::skip, skipped, skipped);
    return true;
  }

  /// For a message of `cells` cells and the one behind it.
  bool has_room(std::uint32_t cells) noexcept {
    if (tail_ + cells - released_seen_ <= mask_) return true;
    const std::int64_t start = now_ns();
    released_seen_ = released_.load(std::memory_order_acquire);
    distance_.learn(now_ns() - start);
    return tail_ + cells - released_seen_ <= mask_;
  }

  /// Of what takes the next `cells` cells.
  void publish_header(CellKind kind, std::size_t length, std::uint32_t cells) noexcept {
    const std::uint64_t next = tail_ + cells;
    if (had_payload_[next & mask_] != 0) {
      had_payload_[next & mask_] = 0;
      // The cell is free: has_room leaves one beyond the message.
      std::atomic_ref(cell(next).word).store(0, std::memory_order_relaxed);
    }
    const std::uint64_t word = std::uint64_t{lap_mark(tail_)} << mark_shift |
                               static_cast<std::uint32_t>(length) << 8 | static_cast<std::uint32_t>(kind);
    std::atomic_ref(cell(tail_).word).store(word, std::memory_order_release);
    tail_ = next;
    if constexpr (contracts_checked)
      if ((next & mask_) < cells) check_producer();
  }

  void read(std::uint64_t word, InRing& message) noexcept {
    const std::byte* const header = reinterpret_cast<const std::byte*>(&cell(head_));
    message.kind = kind_in(word);
    message.bytes = length_in(word);
    std::size_t before_payload = repeated_header_bytes;
    if (message.kind != CellKind::repeated) {
      before_payload = header_bytes;
      std::memcpy(&read_context_, header + context_offset, sizeof read_context_);
      std::memcpy(&read_tag_, header + tag_offset, sizeof read_tag_);
    }
    message.cells = cells_for(before_payload + message.bytes);
    message.context = read_context_;
    message.tag = read_tag_;
    message.payload = header + before_payload;
  }

  void release(std::uint32_t cells) noexcept {
    head_ += cells;
    released_.store(head_, std::memory_order_release);
    if constexpr (contracts_checked)
      if ((head_ & mask_) < cells) check_consumer();
  }

  const std::uint64_t mask_;
  const int shift_;
  Cell* const cells_;

  // Producer's.
  alignas(line_bytes) std::uint64_t tail_ = 0;
  std::uint64_t released_seen_ = 0;  // copy of released_
  std::uint64_t sent_context_ = 0;   // of the newest message that tells them
  std::int32_t sent_tag_ = -1;       // no tag of a message
  CoreDistance distance_;
  std::vector<std::uint8_t> had_payload_;  // the cell's word may be anything

  // Consumer's. Not next to the producer's line, with which processors would fetch it.
  alignas(2 * line_bytes) std::uint64_t head_ = 0;
  std::uint64_t read_context_ = 0;  // of the newest message that tells them
  std::int32_t read_tag_ = -1;
  std::atomic<std::uint64_t> released_{0};  // read by the producer
};

}  // namespace taihu::message
