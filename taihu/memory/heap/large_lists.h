// SPDX-License-Identifier: Apache-2.0
// Lists of free large blocks, last in first out, one per large class; a thread cache has one set, each node another one.
#pragma once

#include <bit>

#include "taihu/memory/heap/slice_map.h"

namespace taihu::memory::heap {

class LargeLists {
 public:
  void push(Slice* block) {
    const unsigned large = large_class_of(block->slices);
    block->state = SliceState::cached;
    block->next = first_[large];
    first_[large] = block;
    ++count_[large];
    occupied_ |= std::uint64_t{1} << large;
    slices_ += block->slices;
  }

  /// The last block of the first class from `lowest` to `highest` that has one; null when none has.
  Slice* pop(unsigned lowest, unsigned highest) {
    const std::uint64_t candidates = occupied_ >> lowest;
    if (candidates == 0) return nullptr;
    const unsigned large = lowest + static_cast<unsigned>(std::countr_zero(candidates));
    if (large > highest) return nullptr;
    Slice* block = first_[large];
    first_[large] = block->next;
    if (!first_[large]) occupied_ &= ~(std::uint64_t{1} << large);
    --count_[large];
    if (count_[large] < least_[large]) least_[large] = count_[large];
    slices_ -= block->slices;
    return block;
  }

  std::size_t slices() const { return slices_; }
  std::uint32_t count(unsigned large) const { return count_[large]; }

  /// Number of blocks that the class has not needed since the last call.
  std::uint32_t idle(unsigned large) {
    const std::uint32_t idle = least_[large];
    least_[large] = count_[large];
    return idle;
  }

 private:
  static_assert(large_classes <= 64);
  Slice* first_[large_classes]{};
  std::uint32_t count_[large_classes]{};
  std::uint32_t least_[large_classes]{};  ///< smallest count since idle() was asked
  std::uint64_t occupied_ = 0;              ///< bit of each class that has a block
  std::size_t slices_ = 0;
};

/// Highest class that a request of `slices` may be served from: half as much again.
constexpr unsigned generous_class(std::uint32_t slices) {
  const std::uint32_t most = slices + slices / 2;
  return large_class_of(most < largest_listed_slices ? most : largest_listed_slices);
}

}  // namespace taihu::memory::heap
