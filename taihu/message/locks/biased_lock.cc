// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/locks/biased_lock.h"

#include <sched.h>

#include <algorithm>

namespace taihu::message {

void BiasedLock::lock_plain() noexcept {
  plain_.lock();
  revoke();
  for (int i = 0; inside_.load(std::memory_order_acquire); ++i) {
    if (i < 100) {
      threads::spin_pause();
    } else {
      sched_yield();
    }
  }
  by_favour_ = false;
  count_entry();
}

bool BiasedLock::try_lock_plain(bool counts) noexcept {
  if (inside_.load(std::memory_order_relaxed) || !plain_.try_lock()) return false;
  revoke();
  if (inside_.load(std::memory_order_acquire)) {
    plain_.unlock();
    return false;
  }
  by_favour_ = false;
  if (counts) count_entry();
  return true;
}

void BiasedLock::revoke() noexcept {
  if (favoured_.load(std::memory_order_relaxed) == nobody) return;
  favoured_.store(nobody, std::memory_order_relaxed);
  threads::heavy_barrier();
}

void BiasedLock::count_entry() noexcept {
  const Thread me = this_thread();
  if (latest_ != me) {
    latest_ = me;
    in_sequence_ = 0;
  }
  if (++in_sequence_ < needed_) return;
  in_sequence_ = 0;
  if (favourite_ == nobody) favourite_ = me;
  if (favourite_ != me) return;
  favoured_.store(me, std::memory_order_relaxed);
  needed_ = std::min(2 * needed_, longest_sequence);
}

}  // namespace taihu::message
