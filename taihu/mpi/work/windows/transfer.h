// SPDX-License-Identifier: Apache-2.0
// Put and get. Inline up to the copy between two blocks of memory of this node process, which is shorter than
// the calls around it; types with gaps and other node processes: transfer.cc.
#pragma once

#include <cstring>

#include "taihu/message/data/copy.h"
#include "taihu/mpi/work/windows/access.h"
#include "taihu/mpi/work/windows/epochs.h"
#include "taihu/mpi/work/windows/place.h"

namespace taihu::mpi::windows {
namespace detail {

/// One row of data in memory, or places with a type.
struct Side {
  std::byte* address;
  MPI_Count count;
  const Datatype* type;

  bool is_block() const noexcept { return type->is_contiguous(count); }
  std::byte* block() const noexcept { return address + type->block_offset(); }
};

void copy_typed(const Side& target, const Side& source, std::size_t bytes);
void put_remote(Window& window, Target& target, MPI_Aint place, const Buffer& origin, const Places& places,
                Tracker* tracker);
void get_remote(Window& window, Target& target, MPI_Aint place, const Buffer& origin, const Places& places,
                Tracker* tracker);

/// Copies `bytes` bytes of data in this node process.
inline __attribute__((always_inline)) void move(const Side& target, const Side& source, std::size_t bytes) {
  if (!target.is_block() || !source.is_block()) [[unlikely]]
    return copy_typed(target, source, bytes);
  // One store for a word, so that who polls it never sees a part.
  if (bytes == 8) {
    std::memcpy(target.block(), source.block(), 8);
  } else if (bytes == 4) {
    std::memcpy(target.block(), source.block(), 4);
  } else {
    message::copy_bytes(target.block(), source.block(), bytes);
  }
}

}  // namespace detail

inline __attribute__((always_inline)) void put(Window& window, const Buffer& origin, const Places& places,
                                               Tracker* tracker) {
  require_access(window, places.member);
  const std::size_t bytes = origin.bytes();
  if (bytes == 0) return;
  require(bytes <= places.bytes(), MPI_ERR_TRUNCATE, "the places at the target are fewer than the data");
  Target& target = window.targets[static_cast<unsigned>(places.member)];
  const MPI_Aint place = place_of(window, target, places);
  if (!target.is_mapped) return detail::put_remote(window, target, place, origin, places, tracker);
  detail::move({local_address(target, place), places.count, places.type},
               {static_cast<std::byte*>(origin.address), origin.count, origin.type}, bytes);
}

inline __attribute__((always_inline)) void get(Window& window, const Buffer& origin, const Places& places,
                                               Tracker* tracker) {
  require_access(window, places.member);
  const std::size_t bytes = places.bytes();
  if (bytes == 0) return;
  require(bytes <= origin.bytes(), MPI_ERR_TRUNCATE, "the data at the target are more than the buffer holds");
  Target& target = window.targets[static_cast<unsigned>(places.member)];
  const MPI_Aint place = place_of(window, target, places);
  if (!target.is_mapped) return detail::get_remote(window, target, place, origin, places, tracker);
  detail::move({static_cast<std::byte*>(origin.address), origin.count, origin.type},
               {local_address(target, place), places.count, places.type}, bytes);
}

}  // namespace taihu::mpi::windows
