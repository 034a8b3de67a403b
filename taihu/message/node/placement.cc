// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/node/placement.h"

#include <sched.h>

#include "taihu/base/clock.h"
#include "taihu/threads/cores.h"

namespace taihu::message {

namespace {

constexpr int waits_before_move = 100;
constexpr std::int64_t ns_between_moves = 10'000'000;

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
  const int target = threads::usable_core_after(core);
  if (target != core && threads::move_to_core(target)) core_.store(target, std::memory_order_relaxed);
}

}  // namespace taihu::message
