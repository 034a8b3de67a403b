// SPDX-License-Identifier: Apache-2.0
// Collectives that the library itself needs inside an intracommunicator.
#pragma once

#include <cstddef>
#include <vector>

#include "taihu/mpi/communicator.h"

namespace taihu::mpi {

/// All members call; block. Throw CallError when the members' calls do not fit together.
void broadcast_inside(Communicator& communicator, void* data, std::size_t bytes, int root);
void allgather_inside(Communicator& communicator, const void* mine, void* all, std::size_t bytes);
void barrier_inside(Communicator& communicator);

/// One element of each member.
template <class T>
std::vector<T> allgather_inside(Communicator& communicator, const T& mine) {
  std::vector<T> all(static_cast<std::size_t>(communicator.size()));
  allgather_inside(communicator, &mine, all.data(), sizeof mine);
  return all;
}

}  // namespace taihu::mpi
