// SPDX-License-Identifier: Apache-2.0
// Where an access goes at its target, and whether it may.
#pragma once

#include "taihu/mpi/types/segments.h"
#include "taihu/mpi/work/windows/access.h"

namespace taihu::mpi::windows {

[[noreturn]] void refuse_range(const Window& window, const Target& target, const Places& places);
/// Whether all data are in memory that the target (of this node process) has attached.
bool is_attached(const Target& target, const Places& places);

/// Bytes from the target's base to the places; in dynamic windows their address. Throws MPI_ERR_DISP or
/// MPI_ERR_RMA_RANGE. What is attached in other node processes is checked there.
inline MPI_Aint place_of(const Window& window, const Target& target, const Places& places) {
  if (window.is_dynamic()) [[unlikely]] {
    if (target.exposure != nullptr && !is_attached(target, places)) refuse_range(window, target, places);
    return places.displacement;
  }
  require(places.displacement >= 0, MPI_ERR_DISP, "the displacement is negative");
  const Datatype& type = *places.type;
  MPI_Aint place = 0, span = 0, end = 0;
  bool fits = !__builtin_mul_overflow(places.displacement, target.displacement_unit, &place) &&
              !__builtin_mul_overflow(places.count - 1, MPI_Aint{type.extent}, &span);
  // With a negative extent the last element is the lowest one.
  const MPI_Aint first = place + type.true_lower_bound + (span < 0 ? span : 0);
  fits = fits && first >= 0 &&
         !__builtin_add_overflow(first + type.true_extent, span < 0 ? -span : span, &end) &&
         end <= target.size_bytes;
  if (!fits) [[unlikely]]
    refuse_range(window, target, places);
  return place;
}

/// Of a place in a target of this node process.
inline std::byte* local_address(const Target& target, MPI_Aint place) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(target.base) +
                                      static_cast<std::uintptr_t>(place));
}

}  // namespace taihu::mpi::windows
