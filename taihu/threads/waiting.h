// SPDX-License-Identifier: Apache-2.0
// How a thread waits for other threads: spin briefly, then yield, then sleep on a futex, so that more ranks
// than cores still work well.
//
// The signalling side pays no fence: a sleeper announces itself and then issues the kernel's private
// expedited membarrier, which orders its announcement against every other thread's stores (asymmetric
// Dekker). Where membarrier is missing both sides use a sequentially consistent fence.
//
// What this costs thousands of threads on few cores: a membarrier (an interrupt of every other core), a
// system call of whoever wakes them, and the kernel's search among all sleepers of the process, which hash
// into few lists. So threads that go to sleep at the same time share one membarrier (gather_barrier), and
// neighbours share the word on which they sleep (Pillow), which wakes them together (RingTogether).
#pragma once

#include <atomic>
#include <cstdint>

#include "taihu/base/clock.h"
#include "taihu/base/contract.h"

namespace taihu::threads {

/// How long to spin and to yield before sleeping. One setting per node process.
struct WaitPolicy {
  int spins = 2000;          ///< polls with a pause instruction between them
  std::int16_t yields = 20;  ///< polls with sched_yield between them
  bool gathers = false;  ///< many go to sleep at the same time: they give their cores away once more for it
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
/// As heavy_barrier, but gives the core away first: a barrier that another thread has begun since the call
/// counts.
void gather_barrier() noexcept;

/// One pause instruction.
void spin_pause() noexcept;

/// Looks for about `most_ns` at most, the core kept: true as soon as `ready()` is. For waits that must not
/// depend on the policy of the process. 0: one look.
template <class Ready>
bool spin_for(std::int64_t most_ns, Ready&& ready) {
  constexpr int looks_between_times = 64;
  const std::int64_t begin = most_ns == 0 ? 0 : now_ns();
  do {
    for (int i = 0; i < looks_between_times; ++i) {
      if (ready()) return true;
      if (most_ns == 0) return false;
      spin_pause();
    }
  } while (now_ns() - begin < most_ns);
  return ready();
}

/// A word on which the sleepers of up to 32 doorbells sleep, each doorbell's under a bit of its own.
struct alignas(64) Pillow {
  static constexpr int places = 32;
  std::atomic<std::uint32_t> epoch{0};
};

/// Where the threads of one waiter (a rank, a thread array) sleep. Any thread may ring; any number may wait.
/// Rule: a signaller first makes the awaited condition true (release store), then rings.
class Doorbell {
 public:
  /// Sleepers of its own.
  Doorbell() noexcept : epoch_(&own_epoch_), places_(~std::uint32_t{0}) {}
  /// One of those that share `pillow`, which must outlive it; `place`: 0 .. Pillow::places - 1.
  Doorbell(Pillow& pillow, int place) noexcept : epoch_(&pillow.epoch), places_(bit_of(place)) {}
  Doorbell(const Doorbell&) = delete;
  Doorbell& operator=(const Doorbell&) = delete;

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
    sleep_until(ready, about_to_sleep, policy.gathers);
  }
  template <class Ready>
  void wait(Ready&& ready) {
    wait(ready, [] {});
  }

  /// The last stage of `wait` alone: sleeps until `ready()` is true. `gathers`: many go to sleep at the same
  /// time.
  template <class Ready>
  void wait_asleep(Ready&& ready, bool gathers) {
    sleep_until(ready, [] {}, gathers);
  }

  /// Of the thread that carries contexts (crew.h), for all of them: none of them is ready.
  template <class Ready>
  void wait_as_carrier(Ready&& ready) {
    // Now and then it gives the core away while it spins: who is waited for may be on the same one.
    constexpr int spins_before_yield = 256;
    const WaitPolicy policy = wait_policy();
    for (int i = 1; i <= policy.spins + policy.yields; ++i) {
      if (ready()) return;
      i <= policy.spins&& i % spins_before_yield != 0 ? spin_pause() : yield_core();
    }
    for (;;) {
      const std::uint32_t seen = epoch_->load(std::memory_order_acquire);
      sleepers_.fetch_add(1, std::memory_order_relaxed);
      heavy_barrier();
      const bool done = ready();
      if (!done) sleep_on_core(seen);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
      if (done) return;
    }
  }

 private:
  friend class RingTogether;

  template <class Ready, class AboutToSleep>
  void sleep_until(Ready& ready, AboutToSleep&& about_to_sleep, bool gathers) {
    for (;;) {
      about_to_sleep();
      const std::uint32_t seen = epoch_->load(std::memory_order_acquire);
      sleepers_.fetch_add(1, std::memory_order_relaxed);
      gathers ? gather_barrier() : heavy_barrier();
      const bool done = ready();
      if (!done) sleep(seen);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
      if (done) return;
    }
  }
  static std::uint32_t bit_of(int place) noexcept {
    expect(place >= 0 && place < Pillow::places, "0 <= place < places of a pillow");
    return std::uint32_t{1} << place;
  }
  static void yield() noexcept;
  static void yield_core() noexcept;
  void wake() const noexcept { wake(*epoch_, places_); }
  static void wake(std::atomic<std::uint32_t>& epoch, std::uint32_t places) noexcept;
  void sleep_on_core(std::uint32_t seen) const noexcept;
  void sleep(std::uint32_t seen) const noexcept;  // at most until rung, not when the epoch is another one

  std::atomic<std::uint32_t>* const epoch_;  ///< changes whenever a doorbell with this word is rung
  const std::uint32_t places_;               ///< bits under which to sleep and to wake
  std::atomic<std::uint32_t> sleepers_{0};
  std::atomic<std::uint32_t> own_epoch_{0};
};

/// Rings many doorbells, as Doorbell::ring does: neighbours in the order of `ring` that share a pillow with
/// one system call. The last ones are rung when it ends.
class RingTogether {
 public:
  RingTogether() noexcept { light_barrier(); }
  ~RingTogether() { flush(); }
  RingTogether(const RingTogether&) = delete;
  RingTogether& operator=(const RingTogether&) = delete;

  void ring(const Doorbell& bell) noexcept {
    if (bell.sleepers_.load(std::memory_order_relaxed) == 0) return;
    if (bell.epoch_ != epoch_) flush();
    epoch_ = bell.epoch_;
    places_ |= bell.places_;
  }

 private:
  void flush() noexcept {
    if (places_ != 0) Doorbell::wake(*epoch_, places_);
    places_ = 0;
  }

  std::atomic<std::uint32_t>* epoch_ = nullptr;
  std::uint32_t places_ = 0;
};

}  // namespace taihu::threads
