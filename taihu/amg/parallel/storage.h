// SPDX-License-Identifier: Apache-2.0
// Where the arrays of the solver live. This is the one place that gets memory: an array is asked for by the parts that
// the threads will use, so that a placing allocator can put each part on its thread's memory node before first touch.
// Large blocks come from the system with huge pages (worth up to 1.7x of bandwidth under nested paging) and go back to a
// pool, because fresh pages cost more than what set-up computes on them. Small ones come from the heap.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "taihu/amg/parallel/partition.h"

namespace taihu::amg {

/// Any thread may call. Blocks must be given back before the end of the storage.
class Storage {
 public:
  Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage();

  /// Uninitialised memory, aligned to 64 bytes or more, for elements of `element_bytes` bytes; part_end[t] is one past
  /// the last element of thread t (as naalloc's argument), the last one the number of elements.
  /// Throws std::bad_alloc.
  void* take(std::size_t element_bytes, std::span<const std::size_t> part_end);

  /// Gives back what take() returned for the same number of bytes (element_bytes x elements).
  void give_back(void* memory, std::size_t bytes) noexcept;

  /// Returns pooled blocks to the system.
  void trim() noexcept;

  std::size_t used_bytes() const;
  /// Most bytes that the storage held from the system at one time.
  std::size_t peak_bytes() const;

 private:
  struct Block {
    void* memory;
    std::size_t bytes;
  };
  void* take_large(std::size_t bytes);

  mutable std::mutex mutex_;
  std::vector<Block> free_;  // large blocks not in use
  std::vector<Block> large_;  // large blocks in use, with their true size
  std::size_t used_bytes_ = 0, held_bytes_ = 0, peak_bytes_ = 0;
};

}  // namespace taihu::amg
