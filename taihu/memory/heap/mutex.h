// SPDX-License-Identifier: Apache-2.0
// A lock of four bytes that needs no construction: 0 free, 1 held, 2 held and somebody may sleep. It spins
// only briefly, as there may be many more threads than cores.
#pragma once

#include "taihu/memory/heap/os.h"

namespace taihu::memory::heap {

class Mutex {
 public:
  void lock() {
    std::uint32_t free = 0;
    if (!word_.compare_exchange_strong(free, 1, std::memory_order_acquire)) wait_for_it();
  }
  void unlock() {
    if (word_.exchange(0, std::memory_order_release) == 2) os::wake_one(word_);
  }
  /// In the child of a fork: the holder was a thread that is not there.
  void reset() { word_.store(0, std::memory_order_relaxed); }

 private:
  [[gnu::noinline]] void wait_for_it() {
    for (int round = 0; round < 60; ++round) {
      std::uint32_t free = 0;
      if (word_.load(std::memory_order_relaxed) == 0 &&
          word_.compare_exchange_strong(free, 1, std::memory_order_acquire))
        return;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    while (word_.exchange(2, std::memory_order_acquire) != 0) os::wait(word_, 2);
  }

  std::atomic<std::uint32_t> word_{0};
};

class LockGuard {
 public:
  explicit LockGuard(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~LockGuard() { mutex_.unlock(); }
  LockGuard(const LockGuard&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace taihu::memory::heap
