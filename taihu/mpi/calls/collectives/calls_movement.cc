// SPDX-License-Identifier: Apache-2.0
// Barrier, broadcast, gather, scatter, allgather, alltoall: blocking, non-blocking, persistent.
#include "taihu/mpi/calls/collectives/entry.h"

using namespace taihu::mpi::collectives;

MPI_CALL(int, Barrier, (MPI_Comm comm)) {
  return run_blocking("MPI_Barrier", comm, Barrier{});
}
MPI_CALL(int, Ibarrier, (MPI_Comm comm, MPI_Request* request)) {
  return start_nonblocking("MPI_Ibarrier", comm, Barrier{}, request);
}
MPI_CALL(int, Barrier_init, (MPI_Comm comm, MPI_Info info, MPI_Request* request)) {
  return make_persistent("MPI_Barrier_init", comm, Barrier{}, info, request);
}

#define COUNTED_CALLS "taihu/mpi/calls/collectives/calls_movement.inc"
#include "taihu/mpi/objects/counted_calls.h"
