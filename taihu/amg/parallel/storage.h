// SPDX-License-Identifier: Apache-2.0
// Where the arrays of the solver live. This is the one place that gets memory: an array is asked for by the
// parts that the threads will use. On machines with several memory nodes the arrays that every cycle reads
// (matrices, transfers and vectors of all levels) come from naalloc, which puts each part on its thread's
// node before first touch (Gu, Liu, Optimizing Algebraic Multigrid on NUMA-based Cluster System,
// section 3.4); programs that do not link naalloc go without. All other large arrays are cut from a few
// reserved ranges of addresses, lowest address first, so that memory which one step of set-up gave back
// serves the next, and the solve phase in the end: a fresh page costs more than what set-up computes on it.
// Pages are small unless somebody asks (huge_pages.h): a fresh huge one may cost a virtual machine far more.
// Addresses that are never touched are no memory. Small arrays come from the heap.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <vector>

#include "taihu/amg/parallel/partition.h"

namespace taihu::amg {

/// What an array is for.
enum class Use {
  set_up,  ///< read a few times
  cycles   ///< read in every cycle: worth placing
};

/// When arrays for cycles come from naalloc: `automatic` is where the process may use several memory nodes.
enum class Placing { automatic, always, never };

/// Any thread may call. Blocks must be given back before the end of the storage.
class Storage {
 public:
  explicit Storage(Placing placing = Placing::automatic);
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;
  ~Storage();

  /// Uninitialised memory, aligned to 64 bytes or more, for elements of `element_bytes` bytes; part_end[t] is
  /// one past the last element of thread t (as naalloc's argument), the last one the number of elements.
  /// Throws std::bad_alloc.
  void* take(std::size_t element_bytes, std::span<const std::size_t> part_end, Use use);

  /// Gives back what take() returned for the same number of bytes (element_bytes x elements).
  void give_back(void* memory, std::size_t bytes) noexcept;

  /// Shortens a block from `bytes` to `wanted` bytes; returns its place: a new one, with the content, when it
  /// is or becomes a small block.
  void* shorten(void* memory, std::size_t bytes, std::size_t wanted);

  /// Returns the memory of all free ranges to the system.
  void trim() noexcept;

  std::size_t used_bytes() const;
  /// Most bytes that blocks took at one time. Blocks with room that was never touched count in full.
  std::size_t peak_bytes() const;

  /// Whether arrays for cycles come from naalloc.
  bool is_placing() const noexcept { return placing_; }
  /// Pages of these arrays: on the node of their thread, on another one, without memory yet or where the
  /// kernel does not say.
  struct Pages {
    std::size_t local = 0, remote = 0, unknown = 0;
  };
  Pages placed_pages() const;

 private:
  void* take_bytes(std::size_t bytes);
  void* take_large(std::size_t bytes);
  void count(std::size_t bytes);
  void add_range(std::size_t bytes);
  void free_part(std::byte* address, std::size_t bytes);
  bool is_placed(void* memory) const;

  const bool placing_;
  mutable std::mutex mutex_;
  std::map<std::byte*, std::size_t> ranges_;  // bytes by address
  std::map<std::byte*, std::size_t> free_;    // free parts of them; neighbours are merged
  std::set<void*> placed_;
  std::size_t used_bytes_ = 0, peak_bytes_ = 0;
};

}  // namespace taihu::amg
