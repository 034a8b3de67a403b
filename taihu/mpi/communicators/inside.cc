// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/communicators/inside.h"

#include <cstring>

#include "taihu/abi/parallelc.h"
#include "taihu/collective/collectives.h"
#include "taihu/mpi/error.h"

namespace taihu::mpi {
namespace {

void check(int code, collective::GroupHandle& handle) {
  if (code == M_SUCCESS) [[likely]]
    return;
  if (code == M_ERROR_MEMORY) throw CallError(MPI_ERR_NO_MEM, "no memory for intermediate results");
  throw CallError(code == M_ERROR_TRUNCATE ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER,
                  handle.problem().empty() ? "the members of the communicator have made different calls"
                                           : handle.problem());
}

}  // namespace

void broadcast_inside(Communicator& communicator, void* data, std::size_t bytes, int root) {
  if (communicator.size() == 1) return;
  collective::GroupHandle& handle = communicator.collectives();
  check(collective::bcast(handle, data, bytes, root), handle);
}

void allgather_inside(Communicator& communicator, const void* mine, void* all, std::size_t bytes) {
  if (communicator.size() == 1) {
    std::memcpy(all, mine, bytes);
    return;
  }
  collective::GroupHandle& handle = communicator.collectives();
  check(collective::allgather(handle, mine, all, bytes), handle);
}

void barrier_inside(Communicator& communicator) {
  if (communicator.size() == 1) return;
  collective::GroupHandle& handle = communicator.collectives();
  check(collective::barrier(handle), handle);
}

}  // namespace taihu::mpi
