// SPDX-License-Identifier: Apache-2.0
// A lock that threads rarely contend for: one atomic exchange to take, one plain store to release. A waiter
// yields soon, because the holder may have lost its core.
#pragma once

#include <sched.h>

#include <atomic>

#include "taihu/threads/waiting.h"

namespace taihu::message {

/// Meets the standard's Lockable, so std::lock_guard works with it. Not recursive; try_lock by the holder is
/// false.
class SpinLock {
 public:
  bool try_lock() noexcept {
    return !held_.load(std::memory_order_relaxed) && !held_.exchange(true, std::memory_order_acquire);
  }

  void lock() noexcept {
    if (!try_lock()) wait();
  }

  /// Holder: whether others wait. Who holds the lock for long asks this, unlocks, and calls `give_way`.
  bool is_wanted() const noexcept { return waiting_.load(std::memory_order_relaxed) != 0; }
  /// Lets one of the waiting threads have the lock, if they come soon.
  void give_way() const noexcept {
    for (int i = 0; i < 100 && is_wanted(); ++i) threads::spin_pause();
    if (is_wanted()) sched_yield();
  }

  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  void wait() noexcept {
    waiting_.fetch_add(1, std::memory_order_relaxed);
    for (int i = 0; !try_lock(); ++i) {
      if (i < 100) {
        threads::spin_pause();
      } else {
        sched_yield();
      }
    }
    waiting_.fetch_sub(1, std::memory_order_relaxed);
  }

  std::atomic<bool> held_{false};
  std::atomic<int> waiting_{0};
};

}  // namespace taihu::message
