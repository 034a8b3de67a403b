// SPDX-License-Identifier: Apache-2.0
// All ranks of the program. The library has no definitions: a program links world_alone.cc (one process, no
// MPI) or mpi_communicator.cc compiled against its MPI.
#pragma once

#include <memory>

#include "taihu/parallel/communicator.h"

namespace taihu::parallel {

/// Starts MPI, where there is one, and returns the communicator of all ranks, whose end ends MPI. Once, by
/// the main thread; the arguments are those of main(), or null.
std::unique_ptr<Communicator> open_world(int* argc, char*** argv);

/// Whether the program has an MPI, so that there may be other ranks to join. Without a launcher it has one
/// rank.
bool has_mpi();

/// In the program without MPI, when an MPI launcher has started it: replaces it by the program of that
/// launcher's library, which is in the same folder and has the library's name behind its own ("rmc-openmpi"),
/// with the same arguments. Else returns. Throws Error when that program is not there.
void become_mpi_program(char** arguments);

/// Ends all ranks at once after a failure on one of them. Does not return.
[[noreturn]] void abort_all_ranks(int code);

}  // namespace taihu::parallel
