// SPDX-License-Identifier: Apache-2.0
// Handles as integers, for Fortran and for the calls ..._c2f, ..._f2c, ..._toint and ..._fromint: predefined
// objects have the numbers that the standard gives them, all others an index into a table of their rank.
//
// The table is made of chunks that stay where they are, so that looking up takes no lock. Nor does giving out
// an index again: entries not in use are a linked stack, whose head carries a counter against mix-ups.
// Programs of another ABI need an index for each request.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {

/// Indices are given out from 0x400 up, and again once their object is gone. Any thread of the rank.
class HandleTable final : public RankPart, public IndexKeeper {
 public:
  explicit HandleTable(Rank&) {}
  ~HandleTable() override;
  static HandleTable& of(Rank& rank) { return rank.part<HandleTable>(Part::handles); }

  /// The integer of an object; a new index at the first time.
  int index_of(Object& object) {
    if (object.number != 0) return static_cast<int>(object.number);
    const int known = std::atomic_ref(object.fortran_index).load(std::memory_order_acquire);
    return known != 0 ? known : give_index(object);
  }
  /// The object of an index; null when the index is not in use.
  Object* object_at(int index) const noexcept {
    const unsigned position = static_cast<unsigned>(index) - static_cast<unsigned>(predefined_handles);
    if (position >= used_.load(std::memory_order_acquire)) return nullptr;
    const std::uintptr_t found = entry(position).load(std::memory_order_acquire);
    return (found & 1) == 0 ? reinterpret_cast<Object*>(found) : nullptr;
  }
  void forget(int index) noexcept override;

 private:
  static constexpr unsigned chunk_entries = 4096;
  /// The address of an object; or, odd, of an entry not in use, twice the link to the next one.
  using Entry = std::atomic<std::uintptr_t>;
  using Chunk = std::array<Entry, chunk_entries>;

  Entry& entry(unsigned position) const noexcept {
    return (*chunks_[position / chunk_entries].load(std::memory_order_acquire))[position % chunk_entries];
  }
  int give_index(Object& object);
  unsigned take_position();
  unsigned new_position();

  std::mutex lock_;
  std::atomic<unsigned> used_{0};  ///< positions (index - 0x400) given out so far
  /// Of the stack of entries to be given out again: a counter, and below it the link (position + 1; 0: none).
  std::atomic<std::uint64_t> free_{0};
  std::array<std::atomic<Chunk*>, 4096> chunks_{};
};

/// The integer of a handle of any kind. Handles that name no object (MPI_COMM_NULL) are below 0x400 as well.
template <class Handle>
int to_integer(Rank& rank, Handle handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value < predefined_handles) return static_cast<int>(value);
  return HandleTable::of(rank).index_of(*reinterpret_cast<Object*>(value));
}

/// The handle of an integer; `null_handle` for one that is not in use or names an object of another kind.
template <class Handle>
Handle from_integer(Rank& rank, int integer, Kind kind, Handle null_handle) {
  if (integer >= 0 && static_cast<std::uintptr_t>(integer) < predefined_handles)
    return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(integer));
  Object* const object = HandleTable::of(rank).object_at(integer);
  return object != nullptr && object->kind == kind ? handle_of<Handle>(object) : null_handle;
}

}  // namespace taihu::mpi
