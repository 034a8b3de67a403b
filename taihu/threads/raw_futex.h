// SPDX-License-Identifier: Apache-2.0
// Sleeping and waking for carriers, whose thread-local storage belongs to a context that runs elsewhere:
// calls of the system that touch no errno.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>

#include <atomic>
#include <cstdint>
#include <ctime>

#include "taihu/threads/context_switch.h"

namespace taihu::threads {

inline std::uintptr_t word_of(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

/// Sleeps while `word` is `seen`, at most until woken, or for `duration` when that is not null.
inline void raw_futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t seen,
                           const timespec* duration) noexcept {
  raw_system_call(SYS_futex, word_of(&word), FUTEX_WAIT_PRIVATE, seen, word_of(duration), 0, 0);
}

/// Wakes one who sleeps on `word`.
inline void raw_futex_wake(const std::atomic<std::uint32_t>& word) noexcept {
  raw_system_call(SYS_futex, word_of(&word), FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

}  // namespace taihu::threads
