// SPDX-License-Identifier: Apache-2.0
// How far the core of a partner is, from the times that a sender needs to look at how much of a ring its
// receiver has taken, which happens about once in a lap and always brings a cache line from there. On virtual
// machines this changes within minutes, so it is never settled.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace taihu::message {

/// One thread at a time learns; any may ask.
class CoreDistance {
 public:
  /// A cache line took `ns` nanoseconds, the clock's own time included. Whatever disturbs the measurement
  /// makes it longer.
  void learn(std::int64_t ns) noexcept {
    const int looks = near_looks_.load(std::memory_order_relaxed);
    near_looks_.store(is_far(ns) ? 0 : std::min(looks + 1, looks_needed), std::memory_order_relaxed);
  }
  static bool is_far(std::int64_t ns) noexcept { return ns >= far_ns; }
  /// Far until it is known better: what is chosen for far partners loses less near than the other way round,
  /// and each transfer that asks brings a look, so of a near partner only the first few are chosen so.
  bool is_near() const noexcept { return near_looks_.load(std::memory_order_relaxed) == looks_needed; }

 private:
  static constexpr std::int64_t far_ns = 90;
  static constexpr int looks_needed = 4;
  std::atomic<int> near_looks_{0};  // in sequence
};

}  // namespace taihu::message
