// SPDX-License-Identifier: Apache-2.0
// A lock that nearly always one and the same thread takes: that thread, the favourite, takes it by two plain
// stores and a load, without an atomic operation, which would wait until all its stores have reached the
// cache, those to cache lines of other cores included. Others revoke the favour first, with the barrier of a
// Doorbell (a system call).
//
// The favourite is the first thread that takes the lock a number of times in sequence; no other thread ever
// becomes it. After each revocation it wins the favour back by a longer sequence, so a lock that several
// threads do share soon is a SpinLock.
//
// Invariant: who holds `plain_` and has found `favoured_` empty behind a heavy barrier, or made it so, and
// `inside_` false after that, holds the lock. Only the favourite writes `inside_`, and only while it does not
// wait for `plain_`.
#pragma once

#include <atomic>
#include <cstdint>

#include "taihu/message/locks/spin_lock.h"
#include "taihu/threads/waiting.h"

namespace taihu::message {

/// Meets the standard's Lockable. Not recursive; try_lock by the holder is false.
class BiasedLock {
 public:
  void lock() noexcept {
    if (!enter_favoured()) [[unlikely]]
      lock_plain();
  }
  bool try_lock() noexcept { return enter_favoured() || try_lock_plain(true); }
  /// As try_lock, by a thread that shall never become the favourite.
  bool try_lock_as_guest() noexcept { return try_lock_plain(false); }

  void unlock() noexcept {
    if (by_favour_) [[likely]] {
      inside_.store(false, std::memory_order_release);
    } else {
      plain_.unlock();
    }
  }

  /// Holder: whether others wait. Who holds the lock for long asks this, unlocks, and calls `give_way`.
  bool is_wanted() const noexcept {
    return plain_.is_wanted() || (by_favour_ && favoured_.load(std::memory_order_relaxed) == nobody);
  }
  /// Lets one of the waiting threads have the lock, if they come soon.
  void give_way() const noexcept { plain_.give_way(); }

 private:
  using Thread = std::uintptr_t;
  static constexpr Thread nobody = 0;
  static constexpr std::uint32_t first_sequence = 16;
  static constexpr std::uint32_t longest_sequence = 1 << 16;

  /// Different for all threads alive.
  static Thread this_thread() noexcept { return reinterpret_cast<Thread>(__builtin_thread_pointer()); }

  bool enter_favoured() noexcept {
    const Thread me = this_thread();
    if (favoured_.load(std::memory_order_relaxed) != me) return false;
    if (inside_.load(std::memory_order_relaxed)) return false;  // by this thread
    inside_.store(true, std::memory_order_relaxed);
    threads::light_barrier();
    // Acquire: whoever had the lock by the plain way has left before the favour was won back.
    if (favoured_.load(std::memory_order_acquire) == me) [[likely]] {
      by_favour_ = true;
      return true;
    }
    inside_.store(false, std::memory_order_release);
    return false;
  }

  void lock_plain() noexcept;
  bool try_lock_plain(bool counts) noexcept;
  /// Holder of plain_: ends the favour, if there is one.
  void revoke() noexcept;
  /// Holder by the plain way: counts towards the favour.
  void count_entry() noexcept;

  std::atomic<Thread> favoured_{nobody};  ///< the favourite while it has the favour; written under plain_
  std::atomic<bool> inside_{false};       ///< the favourite is inside by favour, or looks whether it may
  bool by_favour_ = false;                ///< how the holder came in; the holder's
  // Guarded by plain_.
  Thread favourite_ = nobody;
  Thread latest_ = nobody;
  std::uint32_t in_sequence_ = 0;
  std::uint32_t needed_ = first_sequence;
  SpinLock plain_;
};

}  // namespace taihu::message
