// SPDX-License-Identifier: Apache-2.0
// A barrier that the members of an array pass again and again. The last to arrive advances the epoch on which
// the others wait.
#pragma once

#include <atomic>
#include <cstdint>

#include "taihu/base/contract.h"
#include "taihu/threads/crew.h"
#include "taihu/threads/grouped_count.h"
#include "taihu/threads/waiting.h"
#include "taihu/threads/while_waiting.h"

namespace taihu::threads {

class ArrayBarrier {
 public:
  /// For `members` >= 1 threads, which count in `groups` (grouped_count.h): 1, or the rings of an array of
  /// contexts.
  explicit ArrayBarrier(int members, int groups = 1)
      : members_(members), is_grouped_(groups > 1), arrived_(members, groups) {
    expect(members >= 1, "members of a barrier >= 1");
  }
  ArrayBarrier(const ArrayBarrier&) = delete;
  ArrayBarrier& operator=(const ArrayBarrier&) = delete;

  /// Returns when all members have called it as often as the caller. What a member wrote before is visible to
  /// all after.
  void wait(WhileWaiting meanwhile = {}) {
    wait_and_then([] {}, meanwhile);
  }

  /// The same; the last to arrive calls `by_last` before anybody returns. What it writes is visible to all.
  template <class Action>
  void wait_and_then(Action&& by_last, WhileWaiting meanwhile = {}) {
    const std::uint32_t before =
        epoch_.load(std::memory_order_relaxed);  // cannot advance before the caller arrives
    if (arrived_.arrive(is_grouped_ ? current_group() : 0, before + 1)) {
      by_last();
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
  const bool is_grouped_;
  GroupedCount arrived_;
  alignas(64) std::atomic<std::uint32_t> epoch_{0};
  Doorbell doorbell_;
};

}  // namespace taihu::threads
