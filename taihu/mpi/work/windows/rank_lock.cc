// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/windows/rank_lock.h"

#include <mutex>
#include <utility>

namespace taihu::mpi::windows {

void RankLock::acquire(LockKind kind, Granted granted) {
  if (try_acquire(kind)) {
    granted();
    return;
  }
  {
    const std::lock_guard hold(queue_lock_);
    queue_.push_back({kind, std::move(granted)});
    // From here on the holders serve the queue. One that gave the lock back before has not seen the bit, but
    // then serve_waiters finds the lock free.
    state_.fetch_or(waiters, std::memory_order_acq_rel);
  }
  serve_waiters();
}

void RankLock::serve_waiters() {
  std::vector<Granted> granted;
  {
    const std::lock_guard hold(queue_lock_);
    grant(granted);
  }
  for (const Granted& tell : granted) tell();
}

void RankLock::grant(std::vector<Granted>& granted) {
  // While the bit is set and queue_lock_ is held, others only give the lock back.
  while (!queue_.empty()) {
    Waiter& first = queue_.front();
    if (!fits(state_.load(std::memory_order_acquire), first.kind)) return;
    state_.fetch_add(amount(first.kind), std::memory_order_acquire);
    granted.push_back(std::move(first.granted));
    queue_.pop_front();
  }
  state_.fetch_and(~waiters, std::memory_order_release);
}

}  // namespace taihu::mpi::windows
