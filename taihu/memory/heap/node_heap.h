// SPDX-License-Identifier: Apache-2.0
// The second and third level of the heap on one NUMA node, under one lock: the central lists, which hold
// memory for spans ready to be handed out, and the page heap. A thread cache that has run out takes several
// blocks at once.
#pragma once

#include "taihu/memory/heap/page_heap.h"
#include "taihu/memory/heap/span_lists.h"

namespace taihu::memory::heap {

/// What a thread cache keeps of large memory: free runs of the node, in a page heap of its own. Only its
/// owner uses it.
struct LargeCache {
  PageHeap runs;
  std::size_t least_free = 0;  ///< slices: fewest since it was tended
  std::uint32_t last_tended = 0;

  std::int64_t live =
      0;  ///< slices that the thread has taken and not given back; too high when others free them

  /// From here on a thread has much in use.
  static constexpr std::int64_t much = (1 << 20) >> slice_shift;

  /// A thread with much in use takes only what fits, or it would cut its few long runs to pieces; one with
  /// little takes the best that it has, so that its temporary blocks never leave it.
  Slice* take(std::uint32_t slices) {
    Slice* block = live < much ? runs.take_free(slices, 1) : runs.take_fitting(slices, slices + slices / 4);
    note_taken();
    return block;
  }
  /// After every call that takes runs out.
  void note_taken() {
    if (runs.free_slices() < least_free) least_free = runs.free_slices();
  }
};

struct NodeStatistics {
  std::size_t mapped, held, most_held, dirty, central, purged;  ///< slices
  std::uint64_t refills, batched, returns, huge;                ///< calls; blocks beyond the one asked for
};

class NodeHeap {
 public:
  /// A block of `slices` slices; puts further memory into `cache` as formula (1) of the paper (node_heap.cc)
  /// says. Null when there is no memory.
  Slice* refill(LargeCache& cache, std::uint32_t slices);
  /// A run of exactly `slices` slices beginning at a multiple of `alignment` slices.
  Slice* take_run(std::uint32_t slices, std::uint32_t alignment);
  /// A run of exactly `slices` slices for a block that grows: with free memory behind it if there is some.
  Slice* take_growable(std::uint32_t slices, SliceState preferred);
  /// Takes back one block of this node.
  void give(Slice* block);
  /// Takes back memory of `cache` until it holds at most `most_slices`, of the longest runs; and what has
  /// been idle.
  void take_back(LargeCache& cache, std::size_t most_slices);
  /// Takes back a block whose pages have been moved away.
  void give_clean(Slice* block);
  bool extend(Slice* block, std::uint32_t more);
  /// Gives back what has been idle; true when some is left that is not old enough. For the background.
  bool purge_old();
  /// Gives everything that is free back to the system. True when there was something.
  bool trim();
  /// Present memory for all threads of the node, once.
  void prepare(std::size_t bytes);
  /// Present memory for one thread, into its cache.
  void prepare_cache(LargeCache& cache, std::size_t bytes);
  NodeStatistics statistics();
  /// Takes the lock.
  void check_invariants();

  Mutex& lock() { return lock_; }
  /// Slices that one cache of this node may keep, where `live` are those that its thread has in use.
  std::size_t cache_limit(std::int64_t live) const;

 private:
  std::size_t batch(const LargeCache& cache, std::uint32_t slices) const;
  Slice* take_at_last(std::uint32_t slices, std::uint32_t alignment);
  void empty_central();
  Slice* take_present(std::uint32_t slices, std::uint32_t most);
  Slice* take_several(LargeCache& cache, std::uint32_t slices);
  void make_up_for(std::uint32_t slices);
  void put(Slice* block);
  void take_back_locked(LargeCache& cache, std::size_t most_slices);
  void tend();
  void check_locked() const;
  std::size_t idle_slices(LargeCache& cache) const;
  std::size_t kept_slices() const;
  bool much_is_free() const;
  std::uint8_t number() const;

  Mutex lock_;
  bool prepared_ = false;
  std::uint32_t last_tended_ = 0, last_made_up_ = 0;
  SpanLists central_;
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
