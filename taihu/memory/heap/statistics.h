// SPDX-License-Identifier: Apache-2.0
// What the heap did so far. Counters of running threads are read without stopping them: exact only when they
// rest.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taihu::memory::heap {

struct HeapStatistics {
  std::size_t mapped_bytes;  ///< address space from the system
  std::size_t held_bytes;    ///< spans, large blocks, and what thread caches and central lists keep
  std::size_t
      most_held_bytes;      ///< the largest value so far (with several NUMA nodes: sum of their largest ones)
  std::size_t dirty_bytes;  ///< free, with pages present
  std::size_t returned_bytes;   ///< given back to the system, all in all
  std::uint64_t threads;        ///< caches now in use
  std::uint64_t caches;         ///< caches made
  std::uint64_t small_refills;  ///< times that a list of small blocks was empty
  std::uint64_t small_returns;  ///< small blocks that went from lists back to their spans
  std::uint64_t spans;          ///< spans made
  std::uint64_t handed_over;    ///< small blocks freed by another thread than their owner
  std::uint64_t received;       ///< of these, those that owners have taken back
  std::uint64_t large_reused;   ///< large blocks from the thread's own cache
  std::uint64_t large_refills;  ///< times that a thread took large blocks from its node
  std::uint64_t large_batched;  ///< blocks that came with them
  std::uint64_t large_returns;  ///< times that large blocks went back
  std::uint64_t huge;           ///< blocks aligned to more than 64 KiB, or without room to grow
};

HeapStatistics heap_statistics();
/// One table and a profile for TAIHU_HEAP_PREALLOC.
void print_statistics(int file);

}  // namespace taihu::memory::heap
