// SPDX-License-Identifier: Apache-2.0
// Processor-time clocks of single threads, by their number, as the kernel codes them.
#pragma once

#include <sys/types.h>
#include <time.h>

namespace taihu::memory::libc {

enum class ThreadTime : int { all_ticks = 0, user_ticks = 1, exact = 2 };

inline clockid_t thread_clock(pid_t thread, ThreadTime kind = ThreadTime::exact) {
  constexpr int of_one_thread = 4;
  return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | of_one_thread |
                                static_cast<unsigned>(kind));
}

}  // namespace taihu::memory::libc
