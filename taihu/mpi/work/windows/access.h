// SPDX-License-Identifier: Apache-2.0
// Accesses: what the calls of the program become after their arguments are checked. For targets of this node
// process the calling rank moves the data itself before the call returns; for others calls are started whose
// answers synchronisation waits for. Put and get: transfer.h.
#pragma once

#include <memory>

#include "taihu/mpi/types/datatype.h"
#include "taihu/mpi/work/windows/remote_window.h"
#include "taihu/mpi/work/windows/window.h"

namespace taihu::mpi::windows {

/// Data of the origin.
struct Buffer {
  void* address = nullptr;
  MPI_Count count = 0;
  Datatype* type = nullptr;

  std::size_t bytes() const { return type->total_bytes(count); }
};

/// Their places at the target.
struct Places {
  int member = MPI_PROC_NULL;
  MPI_Aint displacement = 0;  ///< in the target's units
  MPI_Count count = 0;
  Datatype* type = nullptr;

  std::size_t bytes() const { return type->total_bytes(count); }
};

/// Completion of a request-based access; null pointers to it: by synchronisation only. `parts` stays null
/// when the access is complete.
struct Tracker {
  std::shared_ptr<RequestParts> parts;
};

// All, and put and get, throw CallError before anything is moved: MPI_ERR_RMA_SYNC, MPI_ERR_DISP,
// MPI_ERR_RMA_RANGE, MPI_ERR_TRUNCATE, MPI_ERR_OP, MPI_ERR_TYPE. Buffers of puts and accumulates may be
// changed afterwards, those of gets are filled once the access is complete.

/// `result`: null for MPI_Accumulate. `origin` has no type for MPI_NO_OP.
void accumulate(Window& window, const Buffer& origin, const Buffer* result, const Places& places,
                MPI_Op operation, Tracker* tracker);
void compare_and_swap(Window& window, const void* origin, const void* compare, void* result,
                      const Places& places);

}  // namespace taihu::mpi::windows
