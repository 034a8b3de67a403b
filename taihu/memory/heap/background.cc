// SPDX-License-Identifier: Apache-2.0
// The thread is made by clone(), not by pthread_create: that one allocates and takes locks of the C library
// under which it calls free() itself. So the C library does not know the thread; it has a thread-local area
// of its own, in which errno lies where it does in other threads, and calls nothing that needs more. All
// signals are blocked in it.
#include "taihu/memory/heap/background.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "taihu/memory/heap/node_heap.h"
#include "taihu/memory/heap/settings.h"

namespace taihu::memory::heap::background {
namespace {

constexpr std::size_t stack_bytes = 64 << 10;
constexpr std::uint32_t least_pause_ms = 10;

constinit std::atomic<bool> allowed{false}, running{false};
constinit std::atomic<std::uint32_t> thread_id{0};  ///< the system sets it to 0 when the thread has ended
char* area = nullptr;                               ///< its thread-local area and stack, used again
std::size_t local_bytes = 0;                        ///< on either side of its thread pointer

/// True when there is something left that will be old enough later.
bool purge_all() {
  bool more = false;
  for (unsigned node = 0; node < node_total; ++node) more = node_heaps[node].purge_old() || more;
  return more;
}

int work(void*) {
  prctl(PR_SET_NAME, "taihu-heap");
  for (;;) {
    if (purge_all()) {
      os::pause(std::max(settings.decay_ms.load(std::memory_order_relaxed) / 4, least_pause_ms));
      continue;
    }
    // Memory that is freed just now is seen here, or its thread sees that none is running.
    running.store(false, std::memory_order_seq_cst);
    if (!purge_all() || running.exchange(true, std::memory_order_seq_cst)) break;
  }
  syscall(SYS_exit, 0);
  return 0;
}

bool prepare_area() {
  if (area) return true;
  const auto pointer = reinterpret_cast<std::intptr_t>(__builtin_thread_pointer());
  const auto distance = static_cast<std::size_t>(std::abs(reinterpret_cast<std::intptr_t>(&errno) - pointer));
  local_bytes = (distance + 8192 + 4095) & ~std::size_t{4095};
  area = static_cast<char*>(os::map(2 * local_bytes + stack_bytes, nullptr));
  return area != nullptr;
}

bool start() {
  while (const std::uint32_t last = thread_id.load(std::memory_order_acquire))
    os::wait_for_end(thread_id, last);
  if (!prepare_area()) return false;
  char* pointer = area + local_bytes;
  // The first words of a thread's control block: its own address, twice.
  reinterpret_cast<void**>(pointer)[0] = reinterpret_cast<void**>(pointer)[2] = pointer;
  std::uint64_t all = ~std::uint64_t{0}, before = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
  const int made = clone(work, area + 2 * local_bytes + stack_bytes,
                         CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
                             CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
                         nullptr, &thread_id, pointer, &thread_id);
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, sizeof before);
  return made > 0;
}

}  // namespace

void allow() {
  allowed.store(true, std::memory_order_relaxed);
}

void wake() {
  if (running.load(std::memory_order_seq_cst) || !allowed.load(std::memory_order_relaxed)) return;
  if (running.exchange(true, std::memory_order_seq_cst)) return;
  const int kept = errno;
  if (!start()) {  // no threads for this program: later calls give memory back
    allowed.store(false, std::memory_order_relaxed);
    running.store(false, std::memory_order_relaxed);
  }
  errno = kept;
}

void after_fork_in_child() {
  running.store(false, std::memory_order_relaxed);
  thread_id.store(0, std::memory_order_relaxed);
}

}  // namespace taihu::memory::heap::background
