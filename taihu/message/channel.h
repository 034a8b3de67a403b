// SPDX-License-Identifier: Apache-2.0
// The way of messages from one rank to another of the same node process: a ring of cells, and a list for what
// is sent while the ring is full. Sending never blocks. The receiver empties the list itself, so a sender
// that computes holds up nobody.
//
// Order: while the list is not empty the sender adds to it only, and the receiver takes it only when the
// ring, which then holds nothing but older messages, is empty.
#pragma once

#include <climits>
#include <cstring>
#include <mutex>
#include <vector>

#include "taihu/message/cell_ring.h"
#include "taihu/message/copy.h"
#include "taihu/message/matching.h"
#include "taihu/message/spin_lock.h"

namespace taihu::message {

/// Where the data of a message stand that is not in the ring.
struct Announcement {
  Data data;
  Request* sender;
};
static_assert(sizeof(Announcement) <= inline_bytes);

class Channel {
 public:
  Channel(int source_rank, std::uint32_t cells) : source_(source_rank), ring_(cells) {}

  /// Sender: the message is copied into the ring; false when that is full.
  bool push_eager(Context context, int tag, const Data& data) {
    const std::size_t bytes = data.bytes;
    if (overflowing_.load(std::memory_order_relaxed)) return false;
    Cell* cell = ring_.reserve(bytes);
    if (cell == nullptr) return false;
    cell->kind = CellKind::eager;
    cell->context = context;
    cell->tag = tag;
    cell->bytes = static_cast<std::uint32_t>(bytes);
    fill(reinterpret_cast<std::byte*>(cell) + payload_offset, data);
    ring_.publish(CellRing::cells_for(bytes));
    return true;
  }

  /// Sender: the receiver will copy from the sender's buffer and complete the request.
  void announce(Context context, int tag, const Announcement& announcement) {
    if (push_announced(context, tag, announcement)) return;
    std::lock_guard hold(overflow_lock_);
    if (push_announced(context, tag, announcement)) return;
    overflow_.push_back({context, tag, announcement});
    overflowing_.store(true, std::memory_order_release);
  }

  /// Receiver: true when something may be waiting.
  bool has_messages() noexcept {
    return ring_.front() != nullptr || overflowing_.load(std::memory_order_acquire);
  }

  /// Receiver: hands waiting messages to `deliver(const Arrival&)`, oldest first; returns how many. Stops
  /// early when a fast sender keeps the ring filled.
  template <class Deliver>
  int drain(Deliver&& deliver) {
    const int delivered = drain_ring(deliver, messages_at_once);
    if (delivered == messages_at_once || !overflowing_.load(std::memory_order_acquire)) return delivered;
    return delivered + drain_overflow(deliver);
  }

  /// Receiver's: polls in sequence that found nothing.
  std::uint32_t idle_polls = 0;

 private:
  static constexpr int messages_at_once = 256;
  static constexpr std::size_t payload_offset = offsetof(Cell, payload);

  struct Overflow {
    Context context;
    int tag;
    Announcement announcement;
  };

  static void fill(std::byte* payload, const Data& data) {
    if (data.layout != nullptr) {
      data.layout->pack(payload, data.address, 0, data.bytes);
    } else if (data.bytes != 0) {
      std::memcpy(payload, data.address, data.bytes);
    }
  }

  bool push_announced(Context context, int tag, const Announcement& announcement) noexcept {
    if (overflowing_.load(std::memory_order_relaxed)) return false;
    Cell* cell = ring_.reserve(sizeof announcement);
    if (cell == nullptr) return false;
    cell->kind = CellKind::announced;
    cell->context = context;
    cell->tag = tag;
    std::memcpy(cell->payload, &announcement, sizeof announcement);
    ring_.publish(1);
    return true;
  }

  Arrival announced(Context context, int tag, const Announcement& announcement) const noexcept {
    Arrival arrival;
    arrival.kind = Arrival::Kind::announced_here;
    arrival.source = source_;
    arrival.tag = tag;
    arrival.context = context;
    arrival.bytes = announcement.data.bytes;
    arrival.data = static_cast<const std::byte*>(announcement.data.address);
    arrival.layout = announcement.data.layout;
    arrival.sender = announcement.sender;
    return arrival;
  }

  Arrival arrival_in(const Cell& cell) const noexcept {
    if (cell.kind == CellKind::announced) {
      Announcement announcement;
      std::memcpy(&announcement, cell.payload, sizeof announcement);
      return announced(cell.context, cell.tag, announcement);
    }
    Arrival arrival;
    arrival.source = source_;
    arrival.tag = cell.tag;
    arrival.context = cell.context;
    arrival.bytes = cell.bytes;
    arrival.data = reinterpret_cast<const std::byte*>(&cell) + payload_offset;
    return arrival;
  }

  template <class Deliver>
  int drain_ring(Deliver& deliver, int at_most) {
    int delivered = 0;
    while (delivered < at_most) {
      Cell* cell = ring_.front();
      if (cell == nullptr) break;
      const std::uint32_t cells = cell->kind == CellKind::eager ? CellRing::cells_for(cell->bytes) : 1;
      deliver(arrival_in(*cell));
      ring_.pop(cells);
      ++delivered;
    }
    return delivered;
  }

  template <class Deliver>
  int drain_overflow(Deliver& deliver) {
    // What entered the ring before the first overflow is visible now; it is older and goes first. The sender
    // adds nothing to the ring meanwhile.
    const int delivered = drain_ring(deliver, INT_MAX);
    std::vector<Overflow> taken;
    {
      std::lock_guard hold(overflow_lock_);
      taken.swap(overflow_);
      overflowing_.store(false, std::memory_order_release);
    }
    for (const Overflow& message : taken)
      deliver(announced(message.context, message.tag, message.announcement));
    return delivered + static_cast<int>(taken.size());
  }

  const int source_;
  CellRing ring_;
  SpinLock overflow_lock_;
  std::vector<Overflow> overflow_;        // guarded by overflow_lock_
  std::atomic<bool> overflowing_{false};  // == !overflow_.empty(); written under overflow_lock_
};

}  // namespace taihu::message
