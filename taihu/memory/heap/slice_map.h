// SPDX-License-Identifier: Apache-2.0
// From an address to what the heap knows about it.
//
// Two tables, both indexed by address / 64 KiB modulo a power of two ("index"), with at least four times the
// machine's memory before an index repeats. Regions are placed so that no two slices of the heap share an
// index, and never at index 0, which null pointers have.
// - lists: for each slice that holds small blocks, where the free list of the owning thread cache lies that
//   its blocks go back to, as a distance from the table; 0 for everything else. This is all that free() looks
//   at to find the list of a small block.
// - slices: one record per slice, allocated for 4096 slices at a time; only the slow paths use it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "taihu/memory/heap/free_list.h"
#include "taihu/memory/heap/relaxed.h"
#include "taihu/memory/heap/size_classes.h"

namespace taihu::memory::heap {

enum class SliceState : std::uint8_t {
  none,     ///< not in the heap, or inside a run
  clean,    ///< end of a free run whose pages read as zeros and cost no memory
  dirty,    ///< end of a free run that has been written
  purging,  ///< free, its pages are just being given back
  cached,   ///< in a central list
  small,    ///< a span of small blocks
  large,    ///< a block in use
};

/// What is known of a run of slices: a span, a large block or free memory. Valid in the first slice of the
/// run (and address, slices, state also in the last one of a free run); `head_distance` is valid in every
/// slice of a span. Owner of the fields: who holds the run (a thread cache, or the program's thread that
/// frees it) or the lock of its node. Neighbours look at address, state and node without being owner; no run
/// is freed without the lock of its node.
struct alignas(64) Slice {
  Relaxed<std::uintptr_t> address;  ///< of the slice; 0 when it was never the end of a run
  Slice* next;                      ///< in the one list that the run is in
  Slice* previous;
  Block* free;                    ///< span: blocks that are in no thread cache's list
  std::uint32_t slices;           ///< length of the run
  Relaxed<std::uint32_t> carved;  ///< span: blocks handed out at least once
  std::uint32_t free_blocks;      ///< span: length of `free`
  std::uint32_t time;             ///< free run: when it became free (ms)
  union {
    std::uint32_t capacity;  ///< span: blocks that fit
    std::uint32_t
        written;  ///< large block: so many slices at its begin may not read as zeros when handed out
  };
  Published<SliceState> state;    ///< after `holder`: a neighbour that sees a free run sees whose it is
  std::uint8_t small;             ///< span: class
  Relaxed<std::uint8_t> node;     ///< NUMA node whose heap it belongs to
  Relaxed<std::uint16_t> holder;  ///< free run: whose page heap it is in (PageHeap)
  std::uint16_t head_distance;    ///< slices to the first one of the span
  std::uint16_t first;            ///< span: offset of its first block
  bool grown : 1;                 ///< large block: realloc made it longer
  bool guarded : 1;               ///< span, large block: its last page cannot be touched
  bool worded : 1;                ///< large block: its last page begins with a word that must be whole
  bool trimmed : 1;               ///< span: no page behind what is carved is present, or that was tried
  bool listed;                    ///< span: in the cache's list of spans with free blocks

  char* begin() const { return reinterpret_cast<char*>(static_cast<std::uintptr_t>(address)); }
  std::size_t bytes() const { return std::size_t{slices} << slice_shift; }
};
static_assert(sizeof(Slice) == 64);

class SliceMap {
 public:
  /// The list that the block at `address` goes back to; for everything else one that takes nothing
  /// (ListRule).
  FreeList* list_near(const void* address) const {
    return reinterpret_cast<FreeList*>(reinterpret_cast<char*>(lists_) + lists_[index(address)]);
  }
  /// The list that the block at `address` goes back to; null if it is no small block.
  FreeList* list_of(const void* address) const {
    FreeList* list = list_near(address);
    return reinterpret_cast<const char*>(list) == reinterpret_cast<const char*>(lists_) ? nullptr : list;
  }
  void set_list(const void* address, FreeList* list) {
    lists_[index(address)] = list ? reinterpret_cast<char*>(list) - reinterpret_cast<char*>(lists_) : 0;
  }
  /// Record of the slice that `address` is in; null when nothing near it belongs to the heap.
  Slice* slice_of(const void* address) const {
    const std::size_t at = index(address);
    Slice* unit = units_ ? units_[at >> unit_shift].load(std::memory_order_acquire) : nullptr;
    return unit ? unit + (at & (unit_slices - 1)) : nullptr;
  }

  /// Record of the span that a small block lies in. By address, as the records of a span may lie in two
  /// units.
  Slice* span_of(const void* address) const {
    const std::size_t distance = slice_of(address)->head_distance;
    return slice_of(static_cast<const char*>(address) - (distance << slice_shift));
  }

  /// Reserves the tables. False when the system has no room for them.
  bool start();
  /// Makes records for a new region. False when there is no memory for them, or an index is already taken.
  bool add_region(char* begin, std::size_t bytes);
  /// Forgets part of a region, which has been unmapped. False when the list of regions has no room: it must
  /// stay mapped.
  bool remove_region(char* begin, std::size_t bytes);
  /// Is the address in memory that the heap has from the system? Slow; for the checked library.
  bool in_region(const void* address) const;
  void check_invariants() const;
  /// Expects that runs tile the regions; the slices of all runs. Nobody else may be in the heap.
  std::size_t tiles() const;
  std::size_t coverage_bytes() const { return (mask_ + 1) << slice_shift; }

 private:
  static constexpr unsigned unit_shift = 12;
  static constexpr std::size_t unit_slices = std::size_t{1} << unit_shift;

  std::size_t index(const void* address) const {
    return (reinterpret_cast<std::uintptr_t>(address) >> slice_shift) & mask_;
  }
  bool taken(char* begin, std::size_t bytes) const;
  bool region_at(std::uintptr_t address) const;

  struct Region {
    std::uintptr_t begin;
    std::size_t bytes;
  };
  static constexpr std::size_t most_regions = 4096;

  /// Lists lie so many bytes after their rules, and so does the table after memory that stays 0: as a list,
  /// it takes nothing.
  static constexpr std::size_t rules_bytes = small_classes * sizeof(ListRule);
  struct NoTable {
    char rules[rules_bytes];
    std::ptrdiff_t no_list;
  };
  static NoTable no_table_;
  // Static: free() reads them without the address of the map. An entry is written only while no block that
  // lies there is in use, so what threads do to hand blocks to each other orders reads after writes.
  static inline std::ptrdiff_t* lists_ =
      &no_table_.no_list;  ///< before start(): one entry that says "not a small block"
  static inline std::size_t mask_ = 0;
  std::atomic<Slice*>* units_ = nullptr;
  Region* regions_ = nullptr;
  std::size_t region_count_ = 0;
};

extern SliceMap slice_map;

}  // namespace taihu::memory::heap
