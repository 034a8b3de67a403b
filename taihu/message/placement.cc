// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/placement.h"

#include <sched.h>

#include "taihu/base/clock.h"

namespace taihu::message {

namespace {

constexpr int waits_before_move = 100;
constexpr std::int64_t ns_between_moves = 10'000'000;

/// The usable core behind `core`, the first one again behind the last; `core` when there is no other.
int next_core(const cpu_set_t& usable, int core) noexcept {
  for (int i = 1; i < CPU_SETSIZE; ++i) {
    const int next = (core + i) % CPU_SETSIZE;
    if (CPU_ISSET(next, &usable)) return next;
  }
  return core;
}

}  // namespace

bool Placement::shares_core_with(const Placement& partner) noexcept {
  const int core = sched_getcpu();
  if (core_.load(std::memory_order_relaxed) != core) core_.store(core, std::memory_order_relaxed);
  return partner.core_.load(std::memory_order_relaxed) == core;
}

void Placement::leave_core() noexcept {
  if (++shared_waits_ < waits_before_move) return;
  shared_waits_ = 0;
  const std::int64_t now = now_ns();
  if (now < next_move_ns_) return;
  next_move_ns_ = now + ns_between_moves;
  const int core = core_.load(std::memory_order_relaxed);
  cpu_set_t usable;
  if (core < 0 || sched_getaffinity(0, sizeof usable, &usable) != 0) return;
  const int target = next_core(usable, core);
  if (target == core) return;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(target, &only);
  if (sched_setaffinity(0, sizeof only, &only) != 0) return;
  core_.store(target, std::memory_order_relaxed);
  sched_setaffinity(0, sizeof usable, &usable);
}

}  // namespace taihu::message
