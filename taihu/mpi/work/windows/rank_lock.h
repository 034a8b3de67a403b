// SPDX-License-Identifier: Apache-2.0
// The lock of one rank's part in a window (MPI_Win_lock): shared or exclusive, fair, for ranks of this node
// process and calls from others alike.
//
// One word holds the state. While nobody waits, taking and giving back are one atomic operation each. Who
// cannot have the lock at once sets the bit `waiters`, which closes that short way for everyone, and queues
// up; holders that see the bit when they give the lock back hand it to the first in the queue, readers
// together. So a stream of readers cannot starve a writer.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "taihu/message/locks/spin_lock.h"

namespace taihu::mpi::windows {

enum class LockKind : std::uint8_t { shared, exclusive };

class RankLock {
 public:
  /// Told to who waited. Runs on the thread that gave the lock back; must not block.
  using Granted = std::function<void()>;

  /// False when it is held by others in a way that forbids it, or when somebody waits. Never blocks.
  bool try_acquire(LockKind kind) noexcept {
    std::uint32_t state = state_.load(std::memory_order_relaxed);
    while (fits(state, kind) && (state & waiters) == 0) {
      if (state_.compare_exchange_weak(state, state + amount(kind), std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return true;
    }
    return false;
  }
  /// Calls `granted` once the caller has the lock: at once, or later. Never blocks.
  void acquire(LockKind kind, Granted granted);
  /// Any thread, not only the one that took it.
  void release(LockKind kind) {
    const std::uint32_t before = state_.fetch_sub(amount(kind), std::memory_order_acq_rel);
    if ((before & waiters) != 0) [[unlikely]]
      serve_waiters();
  }

 private:
  // state_ = exclusive | waiters | shared * (number of readers)
  static constexpr std::uint32_t exclusive = 1, waiters = 2, shared = 4;
  static constexpr std::uint32_t amount(LockKind kind) noexcept {
    return kind == LockKind::exclusive ? exclusive : shared;
  }
  static constexpr bool fits(std::uint32_t state, LockKind kind) noexcept {
    return kind == LockKind::exclusive ? (state & ~waiters) == 0 : (state & exclusive) == 0;
  }
  void serve_waiters();
  void grant(std::vector<Granted>& granted);

  struct Waiter {
    LockKind kind;
    Granted granted;
  };
  std::atomic<std::uint32_t> state_{0};
  message::SpinLock queue_lock_;
  std::deque<Waiter> queue_;  // guarded by queue_lock_
};

}  // namespace taihu::mpi::windows
