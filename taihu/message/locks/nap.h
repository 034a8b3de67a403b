// SPDX-License-Identifier: Apache-2.0
// A sleep of one thread that others can cut short.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>
#include <utility>

namespace taihu::message {

class Nap {
 public:
  /// Sleeps; true when it was, or has been since the last nap, cut short. One thread.
  bool take(long nanoseconds) noexcept {
    // Sequentially consistent on both sides: either the kernel sees the new number, or its writer sees the
    // nap.
    is_on_.store(true, std::memory_order_seq_cst);
    const timespec longest{0, nanoseconds};
    syscall(SYS_futex, &cuts_, FUTEX_WAIT_PRIVATE, seen_, &longest, nullptr, 0);
    is_on_.store(false, std::memory_order_relaxed);
    const std::uint32_t cuts = cuts_.load(std::memory_order_acquire);
    return std::exchange(seen_, cuts) != cuts;
  }

  /// Any thread; a system call only while there is a nap.
  void cut_short() noexcept {
    cuts_.fetch_add(1, std::memory_order_seq_cst);
    if (is_on_.load(std::memory_order_seq_cst))
      syscall(SYS_futex, &cuts_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  }

 private:
  std::atomic<std::uint32_t> cuts_{0};
  std::atomic<bool> is_on_{false};
  std::uint32_t seen_ = 0;  // of the thread that naps
};

}  // namespace taihu::message
