// SPDX-License-Identifier: Apache-2.0
// One rank's part of the symmetric heap. All ranks make the same calls in the same order (the calls are
// collective, the layer above synchronises), so every rank computes the same offset without talking to the
// others. Pages are reserved at the start and become memory of the rank's node, whoever touches them first.
//
// Other processes of the machine can map a heap that is an object of shared memory. A child of fork gets
// pages of its own as soon as it writes to them; until then it sees what the parent writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "taihu/memory/offset_allocator.h"
#include "taihu/memory/shared_memory.h"

namespace taihu::memory {

/// Whose memory a heap is.
enum class HeapSharing : std::uint8_t {
  none,     ///< the process's own
  machine,  ///< an object that other processes of this machine can open, where the system gives one
};

class SymmetricHeap {
 public:
  /// Reserves `capacity_bytes` of address space, no memory, for the node of the calling thread; at `place`
  /// unless it is 0. Throws Error.
  explicit SymmetricHeap(std::uint64_t capacity_bytes, std::uintptr_t place = 0,
                         HeapSharing sharing = HeapSharing::none);
  ~SymmetricHeap();
  SymmetricHeap(const SymmetricHeap&) = delete;
  SymmetricHeap& operator=(const SymmetricHeap&) = delete;

  /// Zeroed memory aligned to 64 bytes, at the same offset on every rank; null on every rank when there is no
  /// room. One thread of the rank at a time; does not wait for other ranks.
  void* allocate(std::size_t bytes);
  /// Takes back memory of allocate; null is allowed. False when `memory` is not the begin of a block.
  bool release(void* memory);

  std::byte* base() const { return base_; }
  /// The object that holds the heap, from its beginning: what SharedMemory::open wants to know. -1: none.
  int fd() const { return shared_ ? shared_->fd() : -1; }
  std::uint64_t capacity_bytes() const { return blocks_.capacity_bytes(); }
  std::uint64_t free_bytes() const { return blocks_.free_bytes(); }
  /// All that later calls depend on. The contents of blocks are what the caller copies.
  struct State {
    std::uint64_t used_end = 0;
    std::uint64_t history = 0;
    std::map<std::uint64_t, std::uint64_t> blocks;  ///< offset from base() -> bytes
  };
  State state() const { return {used_end_, history_, blocks_.blocks()}; }
  /// Goes on from a state of a heap of the same capacity. Throws Error when it cannot be one.
  void restore(const State& state);

  /// Changes with every call and its sizes: ranks that compare it find out that one of them made other calls.
  std::uint64_t history() const { return history_; }

 private:
  void note(std::uint64_t value);

  OffsetAllocator blocks_;
  std::optional<SharedMemory> shared_;
  std::byte* base_ = nullptr;
  std::uint64_t used_end_ = 0;  ///< beyond it no byte was ever given out: still zero
  std::uint64_t history_ = 0x9e3779b97f4a7c15;
};

}  // namespace taihu::memory
