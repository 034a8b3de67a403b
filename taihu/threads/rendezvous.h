// SPDX-License-Identifier: Apache-2.0
// One member shows a pointer to all others, for operations such as a broadcast into scratchpads.
#pragma once

#include <atomic>

#include "taihu/base/contract.h"
#include "taihu/threads/array_barrier.h"

namespace taihu::threads {

class Rendezvous {
 public:
  explicit Rendezvous(int members) noexcept : barrier_(members) {}

  /// All members call; each gets the `pointer` of member `root`, and sees what that member wrote before.
  /// Waits for all. The root may use the memory for something else only after a further barrier.
  void* share(int member, int root, void* pointer) {
    expect(member >= 0 && member < barrier_.members() && root >= 0 && root < barrier_.members(),
           "the member and the root are among the members");
    // Two slots are enough: the root writes a slot again two calls later, and by then everybody has arrived
    // at the barrier of the call between, having read this one.
    std::atomic<void*>& slot = slots_[barrier_.epoch() & 1];
    if (member == root) slot.store(pointer, std::memory_order_relaxed);
    barrier_.wait();
    return slot.load(std::memory_order_relaxed);
  }

  /// Waits for all members, as the barrier that `share` asks for.
  void wait() { barrier_.wait(); }

 private:
  ArrayBarrier barrier_;
  std::atomic<void*> slots_[2] = {nullptr, nullptr};
};

}  // namespace taihu::threads
