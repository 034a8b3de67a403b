// SPDX-License-Identifier: Apache-2.0
// The watchman of a crew: finds contexts that do not give way, and lets the others go on on another thread.
#include <algorithm>
#include <chrono>
#include <thread>

#include "taihu/threads/context_ring.h"
#include "taihu/threads/crew.h"

namespace taihu::threads {
namespace {

constexpr std::chrono::milliseconds watch_interval(5);

}  // namespace

void Crew::watch() {
  std::uint32_t kernels = 0;
  const auto runs = [&] {
    kernels = kernels_.load(std::memory_order_acquire);
    return stops_.load(std::memory_order_acquire) || kernels % 2 == 1;
  };
  for (;;) {
    watch_.wait(runs);
    if (stops_.load(std::memory_order_acquire)) return;
    for (const auto& ring : rings_) {
      ring->lock();
      ring->turns_seen = ring->turns;
      ring->unlock();
    }
    std::this_thread::sleep_for(watch_interval);
    for (const auto& ring : rings_) look_after(*ring);
  }
}

// Who keeps others waiting gets the carrier for himself. When it happens again, one look behind the other,
// seven more get threads of their own, then 63 more and so on: contexts that all wait in loops for each other
// are soon as good as threads of the system.
void Crew::look_after(Ring& ring) noexcept {
  if (!ring.try_lock()) return;
  Context* const stuck = ring.current;
  const bool is_joiner = stuck != nullptr && stuck == ring.joiner;
  const Context* const other =
      stuck == nullptr ? nullptr : ring.find_ready(is_joiner ? ring.first : stuck->next);
  if (ring.sleeps || ring.turns != ring.turns_seen || other == nullptr || other == stuck) {
    if (stuck != nullptr) ring.times_stuck = 0;
    ring.unlock();
    return;
  }
  if (!is_joiner) {
    if (ring.joiner != nullptr) ring.carrier->stack = ring.joiner->stack;
    stuck->carrier = ring.carrier;
    ring.send_away(*stuck);
  }
  ring.drop_carrier();
  Context* lone = nullptr;  // list of those who leave, by `next`
  const int most = (1 << 3 * std::min(ring.times_stuck++, 9)) - 1;
  for (int k = 0; k < most && ring.first->next != ring.first; ++k) {
    Context* const ready = ring.find_ready(ring.first);
    if (ready == nullptr) break;
    ring.send_away(*ready);
    ready->word = nullptr;
    ready->next = lone;
    lone = ready;
  }
  ring.unlock();
  assign(ring, nullptr);
  while (lone != nullptr) {
    Context* const next = lone->next;
    assign(ring, lone);
    lone = next;
  }
}

}  // namespace taihu::threads
