// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/cores.h"

#include <sched.h>

namespace taihu::threads {

int usable_core_after(int core) noexcept {
  cpu_set_t usable;
  if (core < 0 || sched_getaffinity(0, sizeof usable, &usable) != 0) return core;
  for (int i = 1; i < CPU_SETSIZE; ++i) {
    const int next = (core + i) % CPU_SETSIZE;
    if (CPU_ISSET(next, &usable)) return next;
  }
  return core;
}

bool move_to_core(int core) noexcept {
  cpu_set_t usable;
  if (core < 0 || core >= CPU_SETSIZE || sched_getaffinity(0, sizeof usable, &usable) != 0) return false;
  if (!CPU_ISSET(core, &usable)) return false;
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(core, &only);
  if (sched_setaffinity(0, sizeof only, &only) != 0) return false;
  sched_setaffinity(0, sizeof usable, &usable);
  return true;
}

}  // namespace taihu::threads
