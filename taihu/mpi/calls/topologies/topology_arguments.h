// SPDX-License-Identifier: Apache-2.0
// Checks that the calls on topologies share.
#pragma once

#include "taihu/mpi/objects/arguments.h"

namespace taihu::mpi {

/// The communicator's topology if it is of `kind`; `name`: what such a topology is called.
inline Topology& topology_of(Communicator& communicator, int kind, const char* name) {
  require(communicator.topology != nullptr && communicator.topology->kind == kind, MPI_ERR_TOPOLOGY,
          [&] { return std::string("the communicator has no ") + name + " topology"; });
  return *communicator.topology;
}
inline Topology& grid_of(Communicator& communicator) {
  return topology_of(communicator, MPI_CART, "Cartesian");
}

/// A list argument: there must be an array unless it is empty.
inline void require_array(const void* array, int length, const char* name) {
  require_not_negative(length, MPI_ERR_ARG, name);
  if (length != 0) require_pointer(array, name);
}

/// Members 0 .. count - 1.
std::vector<int> first_members(int count);

}  // namespace taihu::mpi
