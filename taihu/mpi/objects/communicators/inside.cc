// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/communicators/inside.h"

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
  collective::GroupHandle& handle = communicator.collectives_inside();
  check(collective::bcast(handle, data, bytes, root), handle);
}

void allgather_inside(Communicator& communicator, const void* mine, void* all, std::size_t bytes) {
  if (communicator.size() == 1) {
    std::memcpy(all, mine, bytes);
    return;
  }
  collective::GroupHandle& handle = communicator.collectives_inside();
  check(collective::allgather(handle, mine, all, bytes), handle);
}

void barrier_inside(Communicator& communicator) {
  if (communicator.size() == 1) return;
  collective::GroupHandle& handle = communicator.collectives_inside();
  check(collective::barrier(handle), handle);
}

std::vector<std::byte> exchange_inside(Communicator& communicator, const MemberPieces& mine) {
  if (communicator.size() == 1) {
    const auto* const first = static_cast<const std::byte*>(mine.data);
    return {first, first + mine.bytes.front()};
  }
  collective::GroupHandle& handle = communicator.collectives_inside();
  std::vector<long> bytes(mine.bytes.size()), displacements(mine.bytes.size());
  check(collective::alltoall(handle, mine.bytes.data(), bytes.data(), sizeof(long)), handle);
  long total = 0;
  for (std::size_t member = 0; member < bytes.size(); ++member) {
    displacements[member] = total;
    total += bytes[member];
  }
  // A buffer must not be null, even where nothing is in it.
  std::vector<std::byte> received(static_cast<std::size_t>(total) + 1);
  const std::byte nothing{};
  check(collective::alltoallv(handle, mine.data != nullptr ? mine.data : &nothing, mine.bytes.data(),
                              mine.displacements.data(), received.data(), bytes.data(), displacements.data(),
                              1),
        handle);
  received.pop_back();
  return received;
}

}  // namespace taihu::mpi
