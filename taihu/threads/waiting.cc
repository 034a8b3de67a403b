// SPDX-License-Identifier: Apache-2.0
// Membarrier is registered when the library is loaded, before any thread can wait, so that both halves of the
// barrier always agree on the method. Full fences are written as instructions: thread sanitizer does not
// model fences and refuses std::atomic_thread_fence; what it must know is carried by the acquire and release
// operations of the callers.
#include "taihu/threads/waiting.h"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>

#include "taihu/base/sanitizers.h"
#include "taihu/threads/context_switch.h"
#include "taihu/threads/crew.h"

namespace taihu::threads {

namespace detail {

bool asymmetric = false;

void full_fence() noexcept {
#if defined(__x86_64__)
  // A locked operation orders like mfence and is cheaper on every current core.
  __asm__ volatile("lock; orq $0, -8(%%rsp)" ::: "memory", "cc");
#elif defined(__aarch64__)
  __asm__ volatile("dmb ish" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace detail

using detail::asymmetric;

namespace {

// Two halves of one word, so that readers never see a mixture.
std::atomic<WaitPolicy> current_policy{WaitPolicy{}};
static_assert(std::atomic<WaitPolicy>::is_always_lock_free);

// Of gather_barrier: how many were begun, and the latest one that is over.
alignas(64) std::atomic<std::uint64_t> barriers_begun{0};
std::atomic<std::uint64_t> latest_barrier_done{0};

long membarrier(int command) noexcept {
  return syscall(SYS_membarrier, command, 0, 0);
}

__attribute__((constructor)) void register_membarrier() noexcept {
#if !TAIHU_THREAD_SANITIZER
  asymmetric = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
#endif
}

}  // namespace

void set_wait_policy(WaitPolicy policy) noexcept {
  expect(policy.spins >= 0 && policy.yields >= 0, "spins and yields >= 0");
  current_policy.store(policy, std::memory_order_relaxed);
}

WaitPolicy wait_policy() noexcept {
  return current_policy.load(std::memory_order_relaxed);
}

void heavy_barrier() noexcept {
  // The call cannot fail after a successful registration; a kernel that still refuses it would make waiters
  // sleep through a signal, so the fence of this side stays in any case.
  detail::full_fence();
  if (asymmetric) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

void gather_barrier() noexcept {
  detail::full_fence();
  if (!asymmetric) return;
  // Whoever begins a barrier after this look does so for the caller as well.
  const std::uint64_t before = barriers_begun.load(std::memory_order_seq_cst);
  sched_yield();
  if (latest_barrier_done.load(std::memory_order_acquire) > before) return;
  const std::uint64_t mine = barriers_begun.fetch_add(1, std::memory_order_seq_cst) + 1;
  membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  std::uint64_t latest = latest_barrier_done.load(std::memory_order_relaxed);
  while (latest < mine &&
         !latest_barrier_done.compare_exchange_weak(latest, mine, std::memory_order_release)) {
  }
}

void spin_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

void Doorbell::yield_core() noexcept {
  sched_yield();
}

void Doorbell::yield() noexcept {
  if (!give_way()) yield_core();
}

void Doorbell::wake(std::atomic<std::uint32_t>& epoch, std::uint32_t places) noexcept {
  epoch.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &epoch, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, nullptr, places);
}

void Doorbell::sleep(std::uint32_t seen) const noexcept {
  if (!sleep_in_context(*epoch_, seen)) sleep_on_core(seen);
}

void Doorbell::sleep_on_core(std::uint32_t seen) const noexcept {
  raw_system_call(SYS_futex, reinterpret_cast<std::uintptr_t>(epoch_), FUTEX_WAIT_BITSET_PRIVATE, seen, 0, 0,
                  places_);
}

}  // namespace taihu::threads
