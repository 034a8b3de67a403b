// SPDX-License-Identifier: Apache-2.0
// All ranks of the program. The library has no definition: a program links world_alone.cc (one process, no
// MPI) or mpi_communicator.cc compiled against its MPI.
#pragma once

#include <memory>

#include "taihu/amg/parallel/communicator.h"

namespace taihu::amg {

/// Starts MPI, where there is one, and returns the communicator of all ranks, whose end ends MPI. Once, by
/// the main thread.
std::unique_ptr<Communicator> open_world(int* argc, char*** argv);

}  // namespace taihu::amg
