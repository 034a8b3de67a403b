// SPDX-License-Identifier: Apache-2.0
// Counts in a tree how many of many members have arrived at each step of a board, so that no counter belongs
// to everybody, and one look tells whether all are there: looking at each member instead costs n looks of n
// members. With the arrivals go the members' digests; their sum tells whether all are equal.
//
// Counters form a ring like the board's slots. The last one at a counter sets it back to zero and counts
// further up: nobody comes to it again before all have arrived at a later step (board.h).
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "taihu/base/contract.h"

namespace taihu::collective {

class ArrivalCount {
 public:
  /// `depth`: steps of the ring, a power of two.
  ArrivalCount(std::size_t members, std::uint64_t depth) : members_(members), depth_(depth) {
    expect(members >= 1 && std::has_single_bit(depth), "members >= 1, depth a power of two");
    for (std::size_t below = members; below > 1 || levels_.empty();) {
      const std::size_t here = (below + fan_in - 1) / fan_in;
      levels_.push_back({below, std::make_unique<Counter[]>(here * depth)});
      below = here;
    }
    totals_ = std::make_unique<Total[]>(depth);
  }

  /// What the member wrote before is visible to whoever sees that the step is complete. True for the last
  /// one.
  bool arrive(int member, std::uint64_t step, std::uint32_t digest) noexcept {
    const std::uint64_t slot = step & (depth_ - 1);
    auto place = static_cast<std::size_t>(member);
    std::uint64_t digests = digest;
    for (const Level& level : levels_) {
      const std::size_t node = place / fan_in;
      const std::size_t expected = node < level.below / fan_in ? fan_in : level.below % fan_in;
      Counter& counter = level.counters[node * depth_ + slot];
      counter.digests.fetch_add(digests, std::memory_order_relaxed);
      if (counter.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 != expected) return false;
      digests = counter.digests.load(std::memory_order_relaxed);
      counter.digests.store(0, std::memory_order_relaxed);
      counter.arrived.store(0, std::memory_order_relaxed);
      place = node;
    }
    totals_[slot].digests.store(digests, std::memory_order_relaxed);
    totals_[slot].step.store(step, std::memory_order_release);
    return true;
  }

  bool is_complete(std::uint64_t step) const noexcept {
    return totals_[step & (depth_ - 1)].step.load(std::memory_order_acquire) >= step;
  }
  /// Of a complete step that is still in the ring: whether all members came with this digest.
  bool all_came_with(std::uint64_t step, std::uint32_t digest) const noexcept {
    return totals_[step & (depth_ - 1)].digests.load(std::memory_order_relaxed) ==
           members_ * std::uint64_t{digest};
  }

 private:
  static constexpr std::size_t fan_in = 16;

  struct alignas(64) Counter {
    std::atomic<std::size_t> arrived{0};
    std::atomic<std::uint64_t> digests{0};
  };
  struct alignas(64) Total {
    std::atomic<std::uint64_t> step{0};
    std::atomic<std::uint64_t> digests{0};
  };
  struct Level {
    std::size_t below;  ///< who count here: members, or counters of the level below
    std::unique_ptr<Counter[]> counters;
  };

  const std::size_t members_;
  const std::uint64_t depth_;
  std::vector<Level> levels_;
  std::unique_ptr<Total[]> totals_;
};

}  // namespace taihu::collective
