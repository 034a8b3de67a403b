// SPDX-License-Identifier: Apache-2.0
// What rings keep, as equations: each side checks what it may read. Builds without contracts do not ask.
#include "taihu/base/contract.h"
#include "taihu/message/rings/cell_ring.h"
#include "taihu/message/rings/shared_ring.h"

namespace taihu::message {

/// cells full + cells free + the one that stays free == cells of the ring; the messages that the consumer has
/// not given back, walked from header to header, fill the cells full; the cell behind them is no header.
void CellRing::check_producer() const {
  const std::uint64_t released = released_.load(std::memory_order_acquire);
  ensure(released_seen_ <= released && released <= tail_,
         "cells seen free <= cells given back <= cells written");
  ensure(tail_ - released <= mask_, "cells full <= cells of the ring - 1");
  const auto mark_at = [&](std::uint64_t position) {
    return std::atomic_ref(cell(position).word).load(std::memory_order_relaxed) >> mark_shift;
  };
  std::uint64_t at = released;
  while (at < tail_) {
    ensure(mark_at(at) == lap_mark(at) && had_payload_[at & mask_] == 0,
           "where a message ends the header of the next one stands, with the mark of its lap");
    const std::uint64_t word = std::atomic_ref(cell(at).word).load(std::memory_order_relaxed);
    const std::size_t header = kind_in(word) == CellKind::repeated ? repeated_header_bytes : header_bytes;
    const std::uint32_t cells =
        kind_in(word) == CellKind::skip ? length_in(word) : cells_for(header + length_in(word));
    ensure(cells > 0 && (at & mask_) + cells <= mask_ + 1, "no message wraps");
    at += cells;
  }
  ensure(at == tail_, "cells of all messages == cells full");
  ensure(mark_at(tail_) != lap_mark(tail_) && had_payload_[tail_ & mask_] == 0,
         "behind the newest message no header stands");
}

/// cells given back == where the consumer looks next.
void CellRing::check_consumer() const {
  ensure(released_.load(std::memory_order_relaxed) == head_, "cells given back == cells read");
}

/// As CellRing::check_producer, for cells of lines; and bytes full + bytes free == bytes of the second ring.
void SharedRingWriter::check_invariants() const {
  const std::uint64_t released = head_.cells_released.load(std::memory_order_acquire);
  ensure(cells_released_seen_ <= released && released <= tail_,
         "cells seen free <= cells given back <= cells written");
  ensure(tail_ - released < cell_count_, "cells full <= cells of the ring - 1");
  const std::uint64_t bytes_released = head_.bytes_released.load(std::memory_order_acquire);
  ensure(bytes_released_seen_ <= bytes_released && bytes_released <= bytes_tail_,
         "bytes seen free <= bytes given back <= bytes written");
  ensure(bytes_tail_ - bytes_released <= byte_count_, "bytes full <= bytes of the second ring");
  const auto word_at = [&](std::uint64_t position) {
    return std::atomic_ref(word(position)).load(std::memory_order_relaxed);
  };
  std::uint64_t at = released;
  while (at < tail_) {
    const std::uint64_t full = word_at(at);
    ensure(full >> shared_ring::mark_shift == shared_ring::lap_mark(at, shift_),
           "where a record ends the word of the next one stands, with the mark of its lap");
    const std::uint32_t length = static_cast<std::uint32_t>(full) >> 8;
    const auto kind = static_cast<std::uint8_t>(full & 0xff);
    const std::uint32_t cells = kind == shared_ring::skip_kind ? length
                                : kind == packed_kind          ? shared_ring::packed_cells_of(length)
                                                               : shared_ring::cells_of(length);
    ensure(kind >= packed_kind || begins_line(at), "a record that is not packed begins a line");
    ensure(kind != packed_kind || at % shared_ring::line_cells + cells <= shared_ring::line_cells,
           "a packed record is in one line");
    ensure(cells > 0 && (at & (cell_count_ - 1)) + cells <= cell_count_, "no record wraps");
    at += cells;
  }
  ensure(at == tail_, "cells of all records == cells full");
  ensure(word_at(tail_) >> shared_ring::mark_shift != shared_ring::lap_mark(tail_, shift_),
         "behind the newest record no word stands");
}

void SharedRingReader::check_invariants() const {
  ensure(head_.cells_released.load(std::memory_order_relaxed) == position_, "cells given back == cells read");
}

}  // namespace taihu::message
