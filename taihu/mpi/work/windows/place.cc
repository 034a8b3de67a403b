// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/windows/place.h"

#include <string>

namespace taihu::mpi::windows {

void refuse_range(const Window& window, const Target& target, const Places& places) {
  require(!window.is_dynamic(), MPI_ERR_RMA_RANGE,
          "the access goes to memory that its target has not attached to the window");
  throw CallError(MPI_ERR_RMA_RANGE, "the access at displacement " + std::to_string(places.displacement) +
                                         " (unit " + std::to_string(target.displacement_unit) +
                                         ") goes beyond the target's " + std::to_string(target.size_bytes) +
                                         " bytes of the window");
}

bool is_attached(const Target& target, const Places& places) {
  const AttachedMemory& attached = target.exposure->attached;
  const auto covers = [&](MPI_Aint offset, std::size_t bytes) {
    return attached.covers(static_cast<std::uintptr_t>(places.displacement + offset), bytes);
  };
  if (places.type->is_contiguous(places.count)) return covers(places.type->block_offset(), places.bytes());
  bool all = true;
  for_each_segment(*places.type, places.count, 0, places.bytes(),
                   [&](MPI_Aint offset, std::size_t bytes) { all = all && covers(offset, bytes); });
  return all;
}

}  // namespace taihu::mpi::windows
