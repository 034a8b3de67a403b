// SPDX-License-Identifier: Apache-2.0
// Counts how many of an array's members have arrived, round after round. Each group counts on a cache line of
// its own and its last member counts for it on a common one, so that members on one core do not share a line
// with those on others. Counts only grow, modulo 2^32: a round ends without anybody setting them back.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "taihu/base/contract.h"

namespace taihu::threads {

class GroupedCount {
 public:
  /// 1 <= groups <= members. Member k belongs to group_of(k, members, groups).
  GroupedCount(int members, int groups) : groups_(static_cast<std::size_t>(groups)) {
    for (int k = 0; k < members; ++k) ++group(group_of(k, members, groups)).members;
  }

  static int group_of(int member, int members, int groups) noexcept {
    return static_cast<int>(static_cast<long>(member) * groups / members);
  }

  /// A member of `of_group` arrives in `round`, counted from 1 modulo 2^32; rounds follow each other. True
  /// for the last member of all; what the others wrote before is visible to it then. Sequentially consistent
  /// with `missing`.
  bool arrive(int of_group, std::uint32_t round) noexcept {
    Group& mine = group(of_group);
    const std::uint32_t arrived = mine.arrived.fetch_add(1, std::memory_order_seq_cst) + 1;
    const std::uint32_t wanted = round * mine.members;
    expect(static_cast<std::int32_t>(arrived - wanted) <= 0, "threads at a barrier <= its members");
    if (arrived != wanted) return false;
    const auto all = static_cast<std::uint32_t>(groups_.size());
    return all == 1 || done_.fetch_add(1, std::memory_order_acq_rel) + 1 == round * all;
  }

  /// Members that have not arrived in `round`, of which the caller knows that it has begun.
  int missing(std::uint32_t round) const noexcept {
    std::uint32_t sum = 0;
    for (const Group& each : groups_) {
      sum += round * each.members - each.arrived.load(std::memory_order_seq_cst);
    }
    return static_cast<int>(sum);
  }

  /// Starts again with round 1. No other thread uses it.
  void restart() noexcept {
    for (Group& each : groups_) each.arrived.store(0, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
  }

 private:
  struct alignas(64) Group {
    std::atomic<std::uint32_t> arrived{0};
    std::uint32_t members = 0;
  };

  Group& group(int number) noexcept { return groups_[static_cast<std::size_t>(number)]; }

  std::vector<Group> groups_;
  alignas(64) std::atomic<std::uint32_t> done_{0};  ///< groups whose members have all arrived
};

}  // namespace taihu::threads
