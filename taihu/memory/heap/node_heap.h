// SPDX-License-Identifier: Apache-2.0
// The second and third level of the heap on one NUMA node, under one lock: the central lists, which hold large blocks ready
// to be handed out, and the page heap. A thread cache that has run out takes several blocks at once.
#pragma once

#include "taihu/memory/heap/large_lists.h"
#include "taihu/memory/heap/page_heap.h"

namespace taihu::memory::heap {

/// What a thread cache keeps of large memory. Only its owner uses it.
struct LargeCache {
  LargeLists lists;
  /// A run of which blocks are cut off at the end; one that is freed while it still ends there comes back. So what is freed
  /// last is used first, whatever its length. Null when used up.
  Slice* reserve = nullptr;
  std::uint32_t last_tended = 0;

  std::size_t slices() const { return lists.slices() + (reserve ? reserve->slices : 0); }
  Slice* cut(std::uint32_t slices);
  /// True when the block lay at the end of the reserve and the reserve does not become longer than `most_slices`.
  bool uncut(Slice* block, std::size_t most_slices);
};

struct NodeStatistics {
  std::size_t mapped, held, most_held, dirty, central, purged;  ///< slices
  std::uint64_t refills, batched, returns, huge;                ///< calls; blocks beyond the one asked for
};

class NodeHeap {
 public:
  /// A block of at least `slices` slices, at most those of list `highest`; puts further ones into `cache` as formula (1) of
  /// the paper (below) says. Null when there is no memory.
  Slice* refill(LargeCache& cache, std::uint32_t slices, unsigned highest);
  /// A run of exactly `slices` slices beginning at a multiple of `alignment` slices.
  Slice* take_run(std::uint32_t slices, std::uint32_t alignment);
  /// A run of exactly `slices` slices for a block that grows: with free memory behind it if there is some.
  Slice* take_growable(std::uint32_t slices, SliceState preferred);
  /// Takes back one block of this node.
  void give(Slice* block);
  /// Takes back large blocks of `cache` until its lists hold at most `most_slices`, the longest first; and what has been
  /// idle. With 0 the reserve, too.
  void take_back(LargeCache& cache, std::size_t most_slices);
  /// Takes back a block whose pages have been moved away.
  void give_clean(Slice* block);
  bool extend(Slice* block, std::uint32_t more);
  void shrink(Slice* block, std::uint32_t slices);
  /// Gives everything that is free back to the system. True when there was something.
  bool trim();
  /// Present memory for all threads of the node, once.
  void prepare(std::size_t bytes);
  /// Present memory for one thread, as its reserve.
  void prepare_reserve(LargeCache& cache, std::size_t bytes);
  NodeStatistics statistics();

  Mutex& lock() { return lock_; }
  /// Slices that one cache of this node may keep: its share of a quarter of what the program holds.
  std::size_t cache_limit() const;

 private:
  std::size_t batch(const LargeCache& cache, std::uint32_t slices) const;
  Slice* take_dirty(LargeCache& cache, std::uint32_t slices, std::size_t blocks);
  Slice* take_fresh(LargeCache& cache, std::uint32_t slices, std::size_t blocks);
  Slice* keep_rest(LargeCache& cache, Slice* run, std::uint32_t slices);
  std::size_t run_length(const LargeCache& cache, std::uint32_t slices, std::size_t blocks) const;
  void put(Slice* block);
  void tend();
  void tend(LargeCache& cache);
  std::size_t kept_slices() const;
  std::uint8_t number() const;

  Mutex lock_;
  bool prepared_ = false;
  std::uint32_t last_tended_ = 0;
  LargeLists central_;
  PageHeap pages_;
  std::atomic<std::size_t> held_{0};  ///< slices, for readers without the lock
  std::uint64_t refills_ = 0, batched_ = 0, returns_ = 0, huge_ = 0;
};

constexpr unsigned most_nodes = 64;
extern NodeHeap node_heaps[most_nodes];
/// Nodes in use: 1 on machines without NUMA.
extern unsigned node_total;
/// Thread caches that belong to running threads: the n of formula (1).
extern std::atomic<std::uint32_t> active_caches;

}  // namespace taihu::memory::heap
