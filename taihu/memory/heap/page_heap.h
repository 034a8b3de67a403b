// SPDX-License-Identifier: Apache-2.0
// Free memory in runs of slices: that of a NUMA node, with its way from and to the system, or what a thread
// keeps.
//
// Runs lie in bins by length (every length up to 32 slices, then eight per doubling), dirty and clean ones
// apart; a free run knows its length at both ends, so neighbours of the same kind merge. Memory is taken
// dirty first (its pages are present), then clean, then from the system. Dirty runs that nobody has taken for
// the decay time are given back. Calls on the page heap of a node need its lock, except that `purge` lets go
// of it while it talks to the system; that of a thread belongs to the thread. Free runs carry the number of
// their holder, so that neighbours in other heaps stay alone.
#pragma once

#include "taihu/memory/heap/mutex.h"
#include "taihu/memory/heap/slice_map.h"

namespace taihu::memory::heap {

class PageHeap {
 public:
  constexpr explicit PageHeap(std::uint16_t holder = 0) : holder_(holder) {}

  /// A run of `slices` slices that begins at a multiple of `alignment` slices; `written` tells how much of it
  /// was dirty. Null when no free run is long enough.
  Slice* take_free(std::uint32_t slices, std::uint32_t alignment);
  /// The same; asks the system when no free run is long enough. Null when that fails.
  Slice* take(std::uint32_t slices, std::uint32_t alignment, std::uint8_t node);
  /// From `slices` to `most` slices, from dirty runs only.
  Slice* take_up_to(std::uint32_t slices, std::uint32_t most);
  /// A run with seven times as many free slices behind it, or at least as many, of the preferred kind if
  /// there is one; null when there is none.
  Slice* take_growable(std::uint32_t slices, SliceState preferred);
  /// A whole dirty run of `slices` to `most` slices; null when the first candidate is longer.
  Slice* take_fitting(std::uint32_t slices, std::uint32_t most);
  /// Some run of at most `most` slices, of the longest ones; null when nothing is free.
  Slice* take_longest(std::uint32_t most);
  /// Takes back a run that has been written.
  void give(Slice* run) { insert(run, SliceState::dirty); }
  void give_clean(Slice* run) { insert(run, SliceState::clean); }
  /// Makes a block longer by slices of the free run behind it. False when it cannot.
  bool extend(Slice* run, std::uint32_t more);
  void become(std::uint16_t holder) { holder_ = holder; }
  std::size_t free_slices() const { return dirty_slices_ + clean_slices_; }
  /// Cuts a run in two and returns the second part, state `large`.
  static Slice* split(Slice* run, std::uint32_t slices);
  /// Makes room for `bytes` at once, with present pages (one dirty run).
  bool prefill(std::size_t bytes, std::uint8_t node);

  /// Gives dirty runs back that became free at least `age_ms` before `now`, but keeps `keep` slices.
  void purge(Mutex& lock, std::uint32_t now, std::uint32_t age_ms, std::size_t keep);
  /// Gives the address space of clean runs back.
  void unmap_clean();

  void check_invariants() const;

  std::size_t dirty_slices() const { return dirty_slices_; }
  std::size_t mapped_slices() const { return mapped_slices_; }
  std::size_t clean_slices() const { return clean_slices_; }
  std::size_t purged_slices() const { return purged_slices_; }
  /// Slices that somebody holds: blocks, spans, lists.
  std::size_t held_slices() const { return mapped_slices_ - dirty_slices_ - clean_slices_; }
  std::size_t most_held_slices() const { return most_held_slices_; }

 private:
  static constexpr unsigned bin_count = 32 + 8 * 24;
  struct Bins {
    Slice* first[bin_count]{};
    std::uint64_t occupied[(bin_count + 63) / 64]{};
  };

  static unsigned bin_of(std::uint32_t slices);
  static Slice* best_of(Slice* first, std::uint32_t slices);
  Slice* find(Bins& bins, std::uint32_t slices);
  Slice* cut(Slice* run, std::uint32_t before, std::uint32_t slices);
  Slice* take_across(std::uint32_t slices);
  Slice* take_from(Bins& bins, std::uint32_t slices, std::uint32_t alignment);
  void insert(Slice* run, SliceState state);
  void remove(Slice* run);
  bool mergeable(const Slice* neighbour, std::uintptr_t address, const Slice* run, SliceState state) const;
  Slice* free_run_at(const Slice* run, std::uint32_t distance) const;
  bool grows_into(const Slice* run) const;
  static bool unmap(Slice* run);
  static void mark(Slice* run, SliceState state);
  bool grow(std::uint32_t slices, std::uint32_t alignment, std::uint8_t node);
  Bins& bins(SliceState state) { return state == SliceState::dirty ? dirty_ : clean_; }
  std::size_t& count(SliceState state) { return state == SliceState::dirty ? dirty_slices_ : clean_slices_; }

  Bins dirty_, clean_;
  std::uint16_t holder_;  ///< 0: a node; else the number of a thread cache
  std::size_t dirty_slices_ = 0, clean_slices_ = 0, mapped_slices_ = 0, purged_slices_ = 0,
              most_held_slices_ = 0;
};

/// Held while regions, records or caches are added; taken inside the lock of a node, never the other way
/// round.
extern Mutex growth_lock;

}  // namespace taihu::memory::heap
