// SPDX-License-Identifier: Apache-2.0
// The central lists: memory of the lengths that spans have, ready to be handed out, last in first out.
#pragma once

#include "taihu/memory/heap/slice_map.h"

namespace taihu::memory::heap {

class SpanLists {
 public:
  void push(Slice* block) {
    List& list = lists_[block->slices - 1];
    block->state = SliceState::cached;
    block->next = list.first;
    list.first = block;
    ++list.count;
    slices_ += block->slices;
  }

  /// A block of exactly `slices` slices; null when there is none.
  Slice* pop(std::uint32_t slices) {
    List& list = lists_[slices - 1];
    Slice* block = list.first;
    if (!block) return nullptr;
    list.first = block->next;
    --list.count;
    if (list.count < list.least) list.least = list.count;
    slices_ -= slices;
    return block;
  }

  std::size_t slices() const { return slices_; }
  void check_invariants() const;

  /// Number of blocks of this length that nobody has needed since the last call.
  std::uint32_t idle(std::uint32_t slices) {
    List& list = lists_[slices - 1];
    const std::uint32_t idle = list.least;
    list.least = list.count;
    return idle;
  }

 private:
  struct List {
    Slice* first = nullptr;
    std::uint32_t count = 0;
    std::uint32_t least = 0;  ///< smallest count since idle() was asked
  };
  List lists_[longest_span_slices];
  std::size_t slices_ = 0;
};

}  // namespace taihu::memory::heap
