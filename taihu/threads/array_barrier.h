// SPDX-License-Identifier: Apache-2.0
// A barrier that the members of an array pass again and again. The last to arrive advances the epoch on which
// the others wait; the arrival count is reset before that, so that a member that runs ahead counts for the
// next epoch.
#pragma once

#include <atomic>
#include <cstdint>

#include "taihu/base/contract.h"
#include "taihu/threads/crew.h"
#include "taihu/threads/waiting.h"
#include "taihu/threads/while_waiting.h"

namespace taihu::threads {

class ArrayBarrier {
 public:
  /// For `members` >= 1 threads.
  explicit ArrayBarrier(int members) noexcept : members_(members) {
    expect(members >= 1, "members of a barrier >= 1");
  }
  ArrayBarrier(const ArrayBarrier&) = delete;
  ArrayBarrier& operator=(const ArrayBarrier&) = delete;

  /// Returns when all members have called it as often as the caller. What a member wrote before is visible to
  /// all after.
  void wait(WhileWaiting meanwhile = {}) {
    const std::uint32_t before =
        epoch_.load(std::memory_order_relaxed);  // cannot advance before the caller arrives
    const int arrived = arrived_.fetch_add(1, std::memory_order_acq_rel) + 1;
    expect(arrived <= members_, "threads at a barrier <= its members");
    if (arrived == members_) {
      arrived_.store(0, std::memory_order_relaxed);  // published by the epoch
      epoch_.store(before + 1, std::memory_order_release);
      doorbell_.ring();
      return;
    }
    if (meanwhile.help == nullptr && wait_in_context(doorbell_, epoch_, before)) return;
    doorbell_.wait([&] {
      if (epoch_.load(std::memory_order_acquire) != before) return true;
      meanwhile();
      return false;
    });
  }

  /// How often the barrier was passed, modulo 2^32. The same for all members between two of their calls of
  /// `wait`.
  std::uint32_t epoch() const noexcept { return epoch_.load(std::memory_order_acquire); }

  int members() const noexcept { return members_; }

 private:
  const int members_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<std::uint32_t> epoch_{0};
  Doorbell doorbell_;
};

}  // namespace taihu::threads
