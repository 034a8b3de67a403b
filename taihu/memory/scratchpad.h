// SPDX-License-Identifier: Apache-2.0
// The scratchpad of one accelerator thread: a fixed amount of near memory, first the thread's static
// variables, then what it allocates. Blocks are aligned to 64 bytes. One thread owns it: only that thread may
// allocate and free.
#pragma once

#include <cstddef>
#include <memory>

#include "taihu/memory/offset_allocator.h"

namespace taihu::memory {

class ScratchpadArena {
 public:
  /// `static_bytes` at the begin hold a copy of `static_template` (null: zeros). Throws Error when they do
  /// not fit. Memory comes from the node of the calling thread.
  ScratchpadArena(std::size_t capacity_bytes, std::size_t static_bytes, const void* static_template);
  ~ScratchpadArena();
  ScratchpadArena(const ScratchpadArena&) = delete;
  ScratchpadArena& operator=(const ScratchpadArena&) = delete;

  /// Null when it does not fit. Not cleared.
  void* allocate(std::size_t bytes);
  /// Null is allowed. False when `memory` is not the begin of a block.
  bool release(void* memory);
  /// Largest block that allocate would give.
  std::size_t available_bytes() const { return blocks_.largest_gap_bytes(); }
  /// Drops all blocks and sets the static variables to the template again: a thread starts anew.
  void reset();

  /// Whether [address, address + bytes) is inside of this scratchpad.
  bool contains(const void* address, std::size_t bytes) const noexcept {
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - base_);
    return offset <= capacity_bytes_ && bytes <= capacity_bytes_ - offset;
  }
  std::byte* static_base() const { return base_; }
  std::size_t capacity_bytes() const { return capacity_bytes_; }

 private:
  std::size_t mapped_bytes() const;

  std::size_t capacity_bytes_, static_bytes_, dynamic_begin_;
  const void* static_template_;
  std::byte* base_;
  OffsetAllocator blocks_;
};

}  // namespace taihu::memory
