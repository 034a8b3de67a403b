// SPDX-License-Identifier: Apache-2.0
// What makes accumulates atomic: one rule for all of them, whatever the type and whoever calls. The memory of
// a window is cut into stripes of 512 bytes, each stripe has a spin lock (several stripes share one), and an
// element belongs to the stripe of its first byte. A single element costs one atomic exchange and one store,
// as much as an atomic addition; long accumulates run at the speed of memory under one lock for each stripe,
// where atomic additions would take several nanoseconds for each element.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "taihu/message/locks/spin_lock.h"

namespace taihu::mpi::windows {

class ElementLocks {
 public:
  /// Calls act(first, n) for parts of a row of `elements` elements `extent` bytes apart at `address`, each
  /// under the lock of its elements, in order.
  template <class Act>
  void for_each_stripe(const std::byte* address, std::size_t extent, std::size_t elements, Act&& act) {
    for (std::size_t first = 0; first < elements;) {
      const auto place = reinterpret_cast<std::uintptr_t>(address) + first * extent;
      const std::size_t left = stripe_bytes - place % stripe_bytes;
      const std::size_t n = std::min((left + extent - 1) / extent, elements - first);
      const std::lock_guard hold(lock_of(place));
      act(first, n);
      first += n;
    }
  }

  /// Of the element that begins there.
  message::SpinLock& lock_of(std::uintptr_t place) noexcept {
    return locks_[place / stripe_bytes % locks_.size()].lock;
  }

 private:
  static constexpr std::size_t stripe_bytes = 512;
  struct alignas(64) Stripe {
    message::SpinLock lock;
  };
  std::array<Stripe, 32> locks_;
};

}  // namespace taihu::mpi::windows
