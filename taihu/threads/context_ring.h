// SPDX-License-Identifier: Apache-2.0
// The rings of contexts of a crew, and the threads that carry them.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

#include "taihu/threads/crew.h"

namespace taihu::threads {

/// Contexts that take turns. All but the lock is guarded by it.
struct alignas(64) Ring {
  Context* current = nullptr;  ///< whose turn it is; first, for debuggers
  std::atomic<bool> is_locked{false};
  Context* first = nullptr;  ///< one of them; null: empty
  Carrier* carrier = nullptr;
  /// The thread that waits for the kernel's end and carries the ring meanwhile (Crew::carry_until), which has
  /// a turn when nobody else is ready, and now and then; null: a thread of the array carries it.
  Context* joiner = nullptr;
  const std::atomic<std::uint32_t>* idle_word = nullptr;  ///< when all wait for it the ring may be given up
  std::atomic<bool> is_wanted{false};                     ///< by somebody who would carry it
  bool is_free = false;                                   ///< has been given up: nobody carries it
  bool sleeps = false;                                    ///< nobody is ready
  int away = 0;                                           ///< contexts that have a thread of their own now
  std::uint32_t turns = 0;                                ///< so far
  std::uint32_t turns_seen = 0;                           ///< by the watchman
  int times_stuck = 0;                                    ///< as the watchman saw it, one behind the other
  // Of Crew::find_own_core, for the carrier alone but for `core`.
  std::atomic<int> core{-1};  ///< where its carrier was when it looked last; -1: unknown
  int sleeps_to_look = 32;
  int sleeps_between_looks = 32;

  bool try_lock() noexcept { return !is_locked.exchange(true, std::memory_order_acquire); }
  void lock() noexcept {
    while (!try_lock()) sched_yield();  // held for nanoseconds; longer when its holder has lost its core
  }
  void unlock() noexcept { is_locked.store(false, std::memory_order_release); }

  void insert(Context& context) noexcept {
    context.ring.store(this, std::memory_order_relaxed);
    if (first == nullptr) {
      first = context.next = context.previous = &context;
      return;
    }
    context.next = first;
    context.previous = first->previous;
    context.previous->next = first->previous = &context;
  }
  void remove(Context& context) noexcept {
    context.ring.store(nullptr, std::memory_order_relaxed);
    context.previous->next = context.next;
    context.next->previous = context.previous;
    if (first == &context) first = context.next != &context ? context.next : nullptr;
  }
  void send_away(Context& context) noexcept {
    remove(context);
    ++away;
  }
  /// From `start` on; null when there is none.
  Context* find_ready(Context* start) const noexcept {
    Context* each = start;
    do {
      if (each->is_ready()) return each;
      each = each->next;
    } while (each != start);
    return nullptr;
  }

  /// Whether all contexts wait for the next kernel.
  bool is_idle() const noexcept {
    Context* each = first;
    do {
      if (each->word != idle_word || each->is_ready()) return false;
      each = each->next;
    } while (each != first);
    return away == 0;
  }

  void give_turn(Context& context) noexcept {
    context.word = nullptr;
    current = &context;
    ++turns;
  }
  /// Who is to continue, from `start` on; sleeps until somebody is ready. Null: the ring is to be given up.
  Context* next_turn(Context* start) noexcept;
  /// False: the ring is to be given up.
  bool sleep() noexcept;
  /// Whoever carried it carries it no longer.
  void drop_carrier() noexcept {
    joiner = current = nullptr;
    carrier = nullptr;
  }
  /// The caller's carrier, if it is one of the array, has nothing to carry any more.
  void give_up() noexcept {
    drop_carrier();
    is_free = true;
    is_wanted.store(false, std::memory_order_relaxed);
  }
};

/// A thread of the operating system while it is none of the program.
struct alignas(64) Carrier {
  static constexpr std::uint32_t carry_order = 1;
  static constexpr std::uint32_t home_order = 2;

  Crew* crew = nullptr;
  Context* own = nullptr;  ///< whose thread it is
  void* stack = nullptr;   ///< where it is saved while it runs contexts
  std::uint64_t signal_mask = 0;
  std::atomic<std::uint32_t> orders{0};
  std::atomic<bool> is_spare{false};
  bool has_entered = false;
  bool is_home = false;
  Ring* ring = nullptr;       ///< to carry
  Context* lone = nullptr;    ///< of the ring: to carry only this one, which has left it
  Ring* to_unlock = nullptr;  ///< by who switches back to it: the ring's turn has been given up
  bool ends_ring = false;     ///< the ring to unlock is empty for good
};

/// From the calling context, `me`, to whose turn it is from `start` on; others resume it with the ring
/// locked. False: it stays its turn.
bool switch_to_next(Ring& ring, Context& me, Context* start) noexcept;

}  // namespace taihu::threads
