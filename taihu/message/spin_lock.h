// SPDX-License-Identifier: Apache-2.0
// A lock for short sections that threads rarely contend for: one atomic exchange to take, one plain store to
// release. A waiter yields soon, because the holder may have lost its core.
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
    for (int i = 0; !try_lock(); ++i) {
      if (i < 100) {
        threads::spin_pause();
      } else {
        sched_yield();
      }
    }
  }

  void unlock() noexcept { held_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> held_{false};
};

}  // namespace taihu::message
