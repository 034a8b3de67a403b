// SPDX-License-Identifier: Apache-2.0
#include "taihu/threads/dynamic_loop.h"

#include <algorithm>

#include "taihu/base/contract.h"

namespace taihu::threads {

DynamicLoops::DynamicLoops(int members)
    : members_(members), positions_(std::make_unique<Position[]>(static_cast<std::size_t>(members))) {
  expect(members >= 1, "members that share a loop >= 1");
  for (std::uint64_t i = 0; i < ring_size; ++i) slots_[i].number.store(i, std::memory_order_relaxed);
}

DynamicLoop DynamicLoops::begin(int member, std::uint64_t iterations) {
  expect(member >= 0 && member < members_, "0 <= member < members");
  if (!used_.load(std::memory_order_relaxed)) used_.store(true, std::memory_order_relaxed);
  const std::uint64_t number = positions_[static_cast<std::size_t>(member)].next_loop++;
  Slot& slot = slots_[number % ring_size];
  if (slot.number.load(std::memory_order_acquire) != number) {
    slot_free_.wait([&] { return slot.number.load(std::memory_order_acquire) == number; });
  }
  return DynamicLoop(this, number, iterations);
}

void DynamicLoops::restart() noexcept {
  if (!used_.load(std::memory_order_relaxed)) return;
  used_.store(false, std::memory_order_relaxed);
  for (int i = 0; i < members_; ++i) positions_[static_cast<std::size_t>(i)].next_loop = 0;
  for (std::uint64_t i = 0; i < ring_size; ++i) {
    slots_[i].taken.store(0, std::memory_order_relaxed);
    slots_[i].ended.store(0, std::memory_order_relaxed);
    slots_[i].number.store(i, std::memory_order_relaxed);
  }
}

bool DynamicLoop::next(Chunk* chunk) noexcept {
  expect(loops_ != nullptr, "a member's part in a loop is not asked again after the end");
  DynamicLoops::Slot& slot = loops_->slots_[number_ % DynamicLoops::ring_size];
  const auto members = static_cast<std::uint64_t>(loops_->members_);
  std::uint64_t first = slot.taken.load(std::memory_order_relaxed);
  while (first < iterations_) {
    const std::uint64_t count = std::max<std::uint64_t>(1, (iterations_ - first) / (2 * members));
    if (slot.taken.compare_exchange_weak(first, first + count, std::memory_order_relaxed)) {
      *chunk = {first, first + count};
      return true;
    }
  }
  if (slot.ended.fetch_add(1, std::memory_order_acq_rel) + 1 == loops_->members_) {
    slot.taken.store(0, std::memory_order_relaxed);
    slot.ended.store(0, std::memory_order_relaxed);
    slot.number.store(number_ + DynamicLoops::ring_size, std::memory_order_release);
    loops_->slot_free_.ring();
  }
  if constexpr (contracts_checked) loops_ = nullptr;
  return false;
}

}  // namespace taihu::threads
