// SPDX-License-Identifier: Apache-2.0
// Handles as integers, for Fortran and for the calls ..._c2f, ..._f2c, ..._toint and ..._fromint: predefined
// objects have the numbers that the standard gives them, all others an index into a table of their rank.
//
// The table is made of chunks that stay where they are, so that looking up takes no lock.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <vector>

#include "taihu/mpi/rank.h"

namespace taihu::mpi {

/// Indices are given out from 0x400 up, and again once their object is gone. Any thread of the rank.
class HandleTable final : public RankPart, public IndexKeeper {
 public:
  explicit HandleTable(Rank&) {}
  ~HandleTable() override;
  static HandleTable& of(Rank& rank) { return rank.part<HandleTable>(Part::handles); }

  /// The integer of an object; a new index at the first time.
  int index_of(Object& object);
  /// The object of an index; null when the index is not in use.
  Object* object_at(int index) const noexcept;
  void forget(int index) noexcept override;

 private:
  static constexpr int chunk_entries = 4096;
  using Chunk = std::array<std::atomic<Object*>, chunk_entries>;

  std::atomic<Object*>& entry(int position) const noexcept {
    return (*chunks_[static_cast<std::size_t>(position / chunk_entries)].load(
        std::memory_order_acquire))[static_cast<std::size_t>(position % chunk_entries)];
  }
  int take_position();

  std::mutex lock_;
  std::atomic<int> used_{0};  ///< positions (index - 0x400) given out so far
  std::vector<int> free_;     ///< those to be given out again
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
