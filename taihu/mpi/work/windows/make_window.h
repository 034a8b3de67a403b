// SPDX-License-Identifier: Apache-2.0
// Making and freeing windows. All members of the communicator call; arguments are checked before anything is
// sent, so an error there leaves the others waiting, as the standard has it.
#pragma once

#include "taihu/mpi/work/windows/window.h"
#include "taihu/mpi/work/windows/window_hints.h"

namespace taihu::mpi::windows {

/// What the caller offers.
struct Offer {
  std::byte* base = nullptr;
  MPI_Aint size_bytes = 0;
  MPI_Aint displacement_unit = 1;
};

Reference<Window> create_window(Communicator& communicator, const Offer& offer, WindowHints hints);
/// The library makes the memory: `offer.base` is not used.
Reference<Window> allocate_window(Communicator& communicator, const Offer& offer, WindowHints hints);
Reference<Window> allocate_shared_window(Communicator& communicator, const Offer& offer, WindowHints hints);
Reference<Window> create_dynamic_window(Communicator& communicator, WindowHints hints);

/// Waits until all members have ended what they had under way. The caller releases the program's reference
/// afterwards. Throws MPI_ERR_RMA_SYNC when an epoch is open.
void close_window(Window& window);

}  // namespace taihu::mpi::windows
