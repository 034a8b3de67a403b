// SPDX-License-Identifier: Apache-2.0
// Turns of contexts. A ring is locked from before a turn is passed on until after the switch: who gets the
// turn unlocks it. So nobody resumes a context that is not wholly saved.
#include "taihu/threads/context_ring.h"

#include <sched.h>

#include <ctime>

#include "taihu/threads/context_switch.h"
#include "taihu/threads/raw_futex.h"

namespace taihu::threads {

constinit __attribute__((tls_model("initial-exec"))) thread_local Context* detail::current_context = nullptr;

namespace {

constexpr timespec nap{0, 500'000};

}  // namespace

Context* Ring::next_turn(Context* start) noexcept {
  constexpr std::uint32_t turns_of_others = 64;
  Context* next = find_ready(start);
  if (joiner != nullptr && (next == nullptr || turns % turns_of_others == 0)) {
    first = start;  // from there on after its turn
    next = joiner;
  }
  while (next == nullptr) {
    if (!sleep()) return nullptr;
    next = find_ready(start);
  }
  give_turn(*next);
  return next;
}

// Mostly all wait for the same: a kernel, or a barrier. Else it looks from time to time, as when somebody may
// come back.
bool Ring::sleep() noexcept {
  sleeps = true;
  bool is_same = true;
  for (Context* each = first->next; each != first; each = each->next) {
    is_same = is_same && each->word == first->word && each->seen == first->seen && each->bell == first->bell;
  }
  const bool is_brief = !is_same || away != 0;
  const bool is_idle_now = is_idle();
  const Context what{.word = first->word, .seen = first->seen, .bell = first->bell};
  Crew& crew = *first->crew;
  unlock();
  if (--sleeps_to_look <= 0) crew.find_own_core(*this);
  const auto is_over = [&] {
    lock();
    const bool over = find_ready(first) != nullptr;
    unlock();
    return over;
  };
  if (is_idle_now) {
    const WaitPolicy policy = wait_policy();
    for (int k = 0; k < policy.spins + policy.yields; ++k) {
      if (what.is_ready() || is_wanted.load(std::memory_order_relaxed)) break;
      if (k < policy.spins) {
        spin_pause();
      } else {
        sched_yield();
      }
    }
  } else if (is_brief || what.bell == nullptr) {
    bool over = false;
    for (int k = 0; k < 20 && !over; ++k) {
      sched_yield();
      over = is_over();
    }
    if (!over) raw_futex_wait(*what.word, what.seen, is_brief ? &nap : nullptr);
  } else {
    what.bell->wait_as_carrier([&] { return what.is_ready(); });
  }
  lock();
  sleeps = false;
  return !is_idle_now || find_ready(first) != nullptr;
}

bool switch_to_next(Ring& ring, Context& me, Context* start) noexcept {
  const Context* const next = ring.next_turn(start);
  if (next == &me) return false;
  if (next != nullptr) {
    switch_context(&me.stack, next->stack, next->thread);
    return true;
  }
  Carrier& carrier = *ring.carrier;
  ring.give_up();
  carrier.to_unlock = &ring;
  switch_context(&me.stack, carrier.stack, carrier.own->thread);
  return true;
}

namespace {

/// The ring of the calling context, locked; null when it has a thread of its own.
Ring* lock_ring_of(Context& me) noexcept {
  Ring* const ring = me.ring.load(std::memory_order_relaxed);
  if (ring == nullptr) return nullptr;
  ring->lock();
  if (me.ring.load(std::memory_order_relaxed) == ring) return ring;
  ring->unlock();
  return nullptr;
}

/// Passes the turn on, to others first; false when it came back at once.
bool pass_turn(Ring& ring, Context& me) noexcept {
  const bool is_other = switch_to_next(ring, me, me.next);
  ring.unlock();
  return is_other;
}

}  // namespace

bool give_way() noexcept {
  Context* const me = detail::current_context;
  if (me == nullptr) return false;
  Ring* const ring = lock_ring_of(*me);
  return ring != nullptr && pass_turn(*ring, *me);
}

bool sleep_in_context(const std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  Context* const me = detail::current_context;
  if (me == nullptr) return false;
  Ring* const ring = lock_ring_of(*me);
  if (ring == nullptr) return false;
  me->word = &word;
  me->seen = seen;
  me->bell = nullptr;
  pass_turn(*ring, *me);
  return true;
}

bool detail::wait_for_turn(Context& me, Doorbell& bell, const std::atomic<std::uint32_t>& word,
                           std::uint32_t seen) noexcept {
  if (word.load(std::memory_order_acquire) != seen) return true;
  Ring* const ring = lock_ring_of(me);
  if (ring == nullptr) return false;
  me.word = &word;
  me.seen = seen;
  me.bell = &bell;
  pass_turn(*ring, me);
  return true;
}

}  // namespace taihu::threads
