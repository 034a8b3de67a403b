// SPDX-License-Identifier: Apache-2.0
// The way of messages from one rank to another of the same node process: a ring of cells, and a list for what
// is sent while the ring is full. Sending never blocks. The receiver empties the list itself, so a sender
// that computes holds up nobody.
//
// Order: while the list is not empty the sender adds to it only, and the receiver takes it only when the
// ring, which then holds nothing but older messages, is empty.
#pragma once

#include <algorithm>
#include <climits>
#include <cstring>
#include <mutex>
#include <vector>

#include "taihu/message/data/copy.h"
#include "taihu/message/locks/spin_lock.h"
#include "taihu/message/matching/matching.h"
#include "taihu/message/rings/cell_ring.h"

namespace taihu::message {

/// Where the data of a message stand that is not in the ring.
struct Announcement {
  Data data;
  Request* sender;
};
static_assert(sizeof(Announcement) <= inline_bytes);

/// Sender's guess whether the receiver waits for its messages, from how soon it took those before.
class Promptness {
 public:
  bool expects_prompt() noexcept {
    const int late = late_.load(std::memory_order_relaxed);
    if (late == 0) return true;
    late_.store(late - 1, std::memory_order_relaxed);
    return false;
  }
  /// `was_prompt`: of a message sent when it was expected.
  void learn(bool was_prompt) noexcept {
    const int penalty = penalty_.load(std::memory_order_relaxed);
    if (was_prompt && penalty == 1) return;
    const int next = was_prompt ? 1 : std::min(2 * penalty, 256);
    penalty_.store(next, std::memory_order_relaxed);
    late_.store(was_prompt ? 0 : next, std::memory_order_relaxed);
  }

 private:
  // Threads of the sending rank may mix; then the guess is worse.
  std::atomic<int> late_{0};     ///< messages before the next try
  std::atomic<int> penalty_{1};  ///< doubles with each try in vain
};

class Channel {
 public:
  /// `lines`, `zeros`: see CellRing.
  Channel(int source_rank, std::uint32_t lines, std::byte* zeros)
      : source_(source_rank), ring_(lines, zeros) {}

  /// Sender: the message is copied into the ring; false when that is full. `in_stream`: more will follow
  /// soon.
  bool push_eager(Context context, int tag, const Data& data, bool in_stream = false) {
    // The ring may be smaller than those of the time when the sender looked at the tuning.
    if (overflowing_.load(std::memory_order_relaxed) || data.bytes > ring_.longest_payload()) return false;
    const CellRing::Place place = ring_.reserve(CellKind::eager, context, tag, data.bytes);
    if (place.payload == nullptr) return false;
    fill(place.payload, data);
    ring_.publish(place, CellKind::eager, context, tag, data.bytes);
    if (in_stream) ring_.prepare_more(place.cells, data.bytes);
    return true;
  }

  /// Sender: as push_eager for `bytes` <= inline_bytes without a layout, in as few instructions as it takes.
  bool push_inline(Context context, int tag, const void* data, std::size_t bytes, bool in_stream) noexcept {
    if (overflowing_.load(std::memory_order_relaxed)) [[unlikely]]
      return false;
    const CellRing::Place place = ring_.reserve(CellKind::eager, context, tag, bytes);
    if (place.payload == nullptr) [[unlikely]]
      return false;
    copy_short(place.payload, data, bytes);
    ring_.publish(place, CellKind::eager, context, tag, bytes);
    if (in_stream) ring_.prepare_more(place.cells, bytes);
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

  /// Receiver: whether the oldest message is in the ring, looked for up to `turns` times (see
  /// CellRing::wait_front); `pop` takes it away.
  template <class MayGoOn>
  bool wait_front(InRing& message, int turns, std::size_t expected_bytes, MayGoOn&& may_go_on) noexcept {
    return ring_.wait_front(message, turns, expected_bytes, may_go_on);
  }
  void pop(const InRing& message) noexcept { ring_.pop(message.cells); }
  static Announcement announcement_in(const InRing& message) noexcept {
    Announcement announcement;
    std::memcpy(&announcement, message.payload, sizeof announcement);
    return announcement;
  }

  /// Receiver: true when something may be waiting.
  bool has_messages() noexcept {
    InRing message;
    return ring_.front(message) || overflowing_.load(std::memory_order_acquire);
  }

  /// Receiver: hands waiting messages to `deliver_cell(const InRing&)` or, when they stand in the list, to
  /// `deliver(const Arrival&)`, oldest first; returns how many. Stops early when a fast sender keeps the ring
  /// filled.
  template <class DeliverCell, class Deliver>
  int drain(DeliverCell&& deliver_cell, Deliver&& deliver) {
    const int delivered = drain_ring(deliver_cell, messages_at_once);
    if (delivered == messages_at_once || !overflowing_.load(std::memory_order_acquire)) return delivered;
    return delivered + drain_overflow(deliver_cell, deliver);
  }

  /// What sender and receiver keep, each on its side of the ring, and the list that both lock.
  void check_sender() {
    ring_.check_producer();
    check_overflow();
  }
  void check_receiver() {
    ring_.check_consumer();
    check_overflow();
  }

  int source() const noexcept { return source_; }
  /// Receiver: a message in the ring.
  Arrival arrival_in(const InRing& message) const noexcept {
    if (message.kind == CellKind::announced) {
      return announced(message.context, message.tag, announcement_in(message));
    }
    Arrival arrival;
    arrival.source = source_;
    arrival.tag = message.tag;
    arrival.context = message.context;
    arrival.bytes = message.bytes;
    arrival.data = message.payload;
    return arrival;
  }

  /// Sender: of the receiver's core.
  const CoreDistance& distance() const noexcept { return ring_.distance(); }

  Promptness prompt;  ///< sender's

  /// Receiver's: polls in sequence that found nothing.
  std::uint32_t idle_polls = 0;

 private:
  static constexpr int messages_at_once = 256;
  static constexpr int backlog = 2;  // messages in sequence, after which more are expected

  struct Overflow {
    Context context;
    int tag;
    Announcement announcement;
  };

  /// The header's line last: the receiver looks at it all the time and would take it away in between.
  static void fill(std::byte* payload, const Data& data) {
    const auto* from = static_cast<const std::byte*>(data.address);
    if (data.layout != nullptr) {
      data.layout->pack(payload, data.address, 0, data.bytes);
    } else if (data.bytes <= inline_bytes) {
      copy_short(payload, from, data.bytes);
    } else {
      std::memcpy(payload + inline_bytes, from + inline_bytes, data.bytes - inline_bytes);
      std::memcpy(payload, from, inline_bytes);
    }
  }

  bool push_announced(Context context, int tag, const Announcement& announcement) noexcept {
    if (overflowing_.load(std::memory_order_relaxed)) return false;
    constexpr std::size_t bytes = sizeof announcement;
    const CellRing::Place place = ring_.reserve(CellKind::announced, context, tag, bytes);
    if (place.payload == nullptr) return false;
    std::memcpy(place.payload, &announcement, bytes);
    ring_.publish(place, CellKind::announced, context, tag, bytes);
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

  void check_overflow();

  template <class DeliverCell>
  int drain_ring(DeliverCell& deliver_cell, int at_most) {
    int delivered = 0;
    while (delivered < at_most) {
      InRing message;
      if (!ring_.front(message)) break;
      if (delivered >= backlog) ring_.expect_more(message.cells, message.bytes);
      deliver_cell(message);
      pop(message);
      ++delivered;
    }
    return delivered;
  }

  template <class DeliverCell, class Deliver>
  int drain_overflow(DeliverCell& deliver_cell, Deliver& deliver) {
    // What entered the ring before the first overflow is visible now; it is older and goes first. The sender
    // adds nothing to the ring meanwhile.
    const int delivered = drain_ring(deliver_cell, INT_MAX);
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
