// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/cores.h"

#include <sched.h>
#include <sys/syscall.h>

#include <cstdint>

#include "taihu/threads/context_switch.h"

namespace taihu::threads {
namespace {

std::uintptr_t as_word(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

/// Without errno, which may be that of a context.
bool get_usable(cpu_set_t& cores) noexcept {
  CPU_ZERO(&cores);
  return raw_system_call(SYS_sched_getaffinity, 0, sizeof cores, as_word(&cores), 0, 0, 0) > 0;
}

bool set_usable(const cpu_set_t& cores) noexcept {
  return raw_system_call(SYS_sched_setaffinity, 0, sizeof cores, as_word(&cores), 0, 0, 0) == 0;
}

}  // namespace

int current_core() noexcept {
#if defined(__x86_64__)
  // Linux keeps number and memory node there, for the C library's own use.
  unsigned word = 0;
  __builtin_ia32_rdtscp(&word);
  return static_cast<int>(word & 0xfff);
#else
  unsigned core = 0;
  return raw_system_call(SYS_getcpu, as_word(&core), 0, 0, 0, 0, 0) == 0 ? static_cast<int>(core) : -1;
#endif
}

int usable_core_beside(const cpu_set_t& taken) noexcept {
  cpu_set_t usable;
  if (!get_usable(usable)) return -1;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &usable) && !CPU_ISSET(core, &taken)) return core;
  }
  return -1;
}

int usable_core_after(int core) noexcept {
  cpu_set_t usable;
  if (core < 0 || !get_usable(usable)) return core;
  for (int i = 1; i < CPU_SETSIZE; ++i) {
    const int next = (core + i) % CPU_SETSIZE;
    if (CPU_ISSET(next, &usable)) return next;
  }
  return core;
}

bool move_to_core(int core) noexcept {
  cpu_set_t usable;
  if (core < 0 || core >= CPU_SETSIZE || !get_usable(usable)) return false;
  if (!CPU_ISSET(core, &usable)) return false;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  if (!set_usable(only)) return false;
  set_usable(usable);
  return true;
}

}  // namespace taihu::threads
