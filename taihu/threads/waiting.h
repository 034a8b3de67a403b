// SPDX-License-Identifier: Apache-2.0
// How a thread waits for other threads: spin briefly, then yield, then sleep on a futex, so that more ranks
// than cores still work well.
//
// The signalling side pays no fence: a sleeper announces itself and then issues the kernel's private
// expedited membarrier, which orders its announcement against every other thread's stores (asymmetric
// Dekker). Where membarrier is missing both sides use a sequentially consistent fence.
#pragma once

#include <atomic>
#include <cstdint>

namespace taihu::threads {

/// How long to spin and to yield before sleeping. One setting per node process.
struct WaitPolicy {
  int spins = 2000;  ///< polls with a pause instruction between them
  int yields = 20;   ///< polls with sched_yield between them
};

/// Sets the policy of this process: few spins when more threads than cores will wait. Any thread; waits that
/// have begun keep the policy they began with.
void set_wait_policy(WaitPolicy policy) noexcept;
WaitPolicy wait_policy() noexcept;

namespace detail {
/// True when the signalling side may omit its fence. Written before main, read only afterwards.
extern __attribute__((visibility("hidden"))) bool asymmetric;
void full_fence() noexcept;
}  // namespace detail

/// Barrier half for the signalling side (a compiler barrier where membarrier works) and for the sleeping
/// side.
inline void light_barrier() noexcept {
  if (detail::asymmetric) [[likely]] {
    __asm__ volatile("" ::: "memory");
  } else {
    detail::full_fence();
  }
}
void heavy_barrier() noexcept;

/// One pause instruction.
void spin_pause() noexcept;

/// Where the threads of one waiter (a rank, a thread array) sleep. Any thread may ring; any number may wait.
/// Rule: a signaller first makes the awaited condition true (release store), then rings.
class Doorbell {
 public:
  /// Wakes the sleepers, if there are any. Costs one load when nobody sleeps.
  void ring() noexcept {
    light_barrier();
    if (sleepers_.load(std::memory_order_relaxed) != 0) wake();
  }

  /// Returns once `ready()` is true. `ready` is called again and again by this thread, may make progress for
  /// others, and must not wait itself. `about_to_sleep` is called before each sleep.
  template <class Ready, class AboutToSleep>
  void wait(Ready&& ready, AboutToSleep&& about_to_sleep) {
    const WaitPolicy policy = wait_policy();
    for (int i = 0; i < policy.spins; ++i) {
      if (ready()) return;
      spin_pause();
    }
    for (int i = 0; i < policy.yields; ++i) {
      if (ready()) return;
      yield();
    }
    for (;;) {
      about_to_sleep();
      const std::uint32_t seen = epoch_.load(std::memory_order_acquire);
      sleepers_.fetch_add(1, std::memory_order_relaxed);
      heavy_barrier();
      const bool done = ready();
      if (!done) sleep(seen);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
      if (done) return;
    }
  }
  template <class Ready>
  void wait(Ready&& ready) {
    wait(ready, [] {});
  }

 private:
  static void yield() noexcept;
  void wake() noexcept;                     // epoch_ += 1, wake all
  void sleep(std::uint32_t seen) noexcept;  // until epoch_ != seen

  std::atomic<std::uint32_t> epoch_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

}  // namespace taihu::threads
