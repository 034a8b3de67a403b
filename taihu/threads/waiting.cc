// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/waiting.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

namespace taihu::threads {
namespace {

WaitPolicy policy_of_process;

long futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value) noexcept {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word), operation | FUTEX_PRIVATE_FLAG, value,
                 nullptr, nullptr, 0);
}

}  // namespace

void set_wait_policy(WaitPolicy policy) noexcept {
  policy_of_process = policy;
}
WaitPolicy wait_policy() noexcept {
  return policy_of_process;
}

void light_barrier() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}
void heavy_barrier() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void spin_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield" ::: "memory");
#endif
}

void Doorbell::yield() noexcept {
  sched_yield();
}

void Doorbell::wake() noexcept {
  epoch_.fetch_add(1, std::memory_order_release);
  futex(&epoch_, FUTEX_WAKE, INT_MAX);
}

void Doorbell::sleep(std::uint32_t seen) noexcept {
  futex(&epoch_, FUTEX_WAIT, seen);
}

}  // namespace taihu::threads
