// SPDX-License-Identifier: Apache-2.0
// From an address to what the heap knows about it.
//
// Two tables, both indexed by address / 64 KiB modulo a power of two ("index"), with at least four times the
// machine's memory before an index repeats. Regions are placed so that no two slices of the heap share an
// index, and never at index 0, which null pointers have.
// - lists: for each slice that holds small blocks, the free list of the owning thread cache that its blocks
// go back to;
//   null for everything else. This is all that free() looks at for a small block.
// - slices: one record per slice, allocated for 4096 slices at a time; only the slow paths use it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "taihu/memory/heap/size_classes.h"

namespace taihu::memory::heap {

/// A free block: its first word links it to the next one.
struct Block {
  Block* next;
};

/// Head of a free list inside a thread cache.
using ListHead = Block*;

enum class SliceState : std::uint8_t {
  none,     ///< not in the heap, or inside a run
  clean,    ///< end of a free run whose pages read as zeros and cost no memory
  dirty,    ///< end of a free run that has been written
  purging,  ///< free, its pages are just being given back
  cached,   ///< in a central list
  small,    ///< a span of small blocks
  large,    ///< a block in use
};

/// A field that other threads may look at while its owner writes it; what they then decide does not hang on
/// the value.
template <typename T>
class Relaxed {
 public:
  operator T() const { return value_.load(std::memory_order_relaxed); }
  Relaxed& operator=(T value) {
    value_.store(value, std::memory_order_relaxed);
    return *this;
  }
  Relaxed& operator=(const Relaxed& other) { return *this = static_cast<T>(other); }

 private:
  std::atomic<T> value_;
};

/// The same for a field that says what other fields are worth: they are written before it and read after it.
template <typename T>
class Published {
 public:
  operator T() const { return value_.load(std::memory_order_acquire); }
  Published& operator=(T value) {
    value_.store(value, std::memory_order_release);
    return *this;
  }
  Published& operator=(const Published& other) { return *this = static_cast<T>(other); }

 private:
  std::atomic<T> value_;
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
  std::uint32_t carved;           ///< span: blocks handed out at least once
  std::uint32_t free_blocks;      ///< span: length of `free`
  std::uint32_t time;             ///< free run: when it became free (ms)
  std::uint32_t capacity;         ///< span: blocks that fit
  Published<SliceState> state;    ///< after `holder`: a neighbour that sees a free run sees whose it is
  std::uint8_t small;             ///< span: class
  Relaxed<std::uint8_t> node;     ///< NUMA node whose heap it belongs to
  bool zero;                      ///< large block: its pages have never been written
  Relaxed<std::uint16_t> holder;  ///< free run: whose page heap it is in (PageHeap)
  std::uint16_t head_distance;    ///< slices to the first one of the span
  std::uint16_t first;            ///< span: offset of its first block
  bool grown;                     ///< large block: realloc made it longer
  bool listed;                    ///< span: in the cache's list of spans with free blocks

  char* begin() const { return reinterpret_cast<char*>(static_cast<std::uintptr_t>(address)); }
  std::size_t bytes() const { return std::size_t{slices} << slice_shift; }
};
static_assert(sizeof(Slice) == 64);

class SliceMap {
 public:
  /// The list that the block at `address` goes back to, if it is a small block.
  ListHead* list_of(const void* address) const {
    return lists_[index(address)].load(std::memory_order_relaxed);
  }
  void set_list(const void* address, ListHead* list) {
    lists_[index(address)].store(list, std::memory_order_relaxed);
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
  std::size_t coverage_bytes() const { return (mask_ + 1) << slice_shift; }

 private:
  static constexpr unsigned unit_shift = 12;
  static constexpr std::size_t unit_slices = std::size_t{1} << unit_shift;

  std::size_t index(const void* address) const {
    return (reinterpret_cast<std::uintptr_t>(address) >> slice_shift) & mask_;
  }
  bool taken(char* begin, std::size_t bytes) const;

  struct Region {
    std::uintptr_t begin;
    std::size_t bytes;
  };
  static constexpr std::size_t most_regions = 4096;

  static std::atomic<ListHead*> nothing_;
  std::atomic<ListHead*>* lists_ = &nothing_;  ///< before start(): one entry that says "not a small block"
  std::size_t mask_ = 0;
  std::atomic<Slice*>* units_ = nullptr;
  Region* regions_ = nullptr;
  std::size_t region_count_ = 0;
};

extern SliceMap slice_map;

}  // namespace taihu::memory::heap
