// SPDX-License-Identifier: Apache-2.0
// The ranks of the job that this program is part of. mpi_ranks.cc has them for programs with an MPI library:
// it uses plain <mpi.h>, so it builds with any library's compiler wrapper and with macc. no_mpi_ranks.cc is
// for the program without one.
#pragma once

#include <memory>

#include "taihu/neutron/parallel/ranks.h"

namespace taihu::neutron {

/// In the program without MPI, when an MPI launcher has started it: replaces it by the program of that
/// launcher's library, which lies beside it and has the library's name behind its own ("rmc-openmpi"), with
/// the same arguments. Else returns. Throws Error when that program is not there.
void become_mpi_program(char** arguments);

/// Whether this process was started by an MPI launcher, so that there is something to join.
bool started_by_mpi();

/// MPI_COMM_WORLD, initialised here and finalised when the object goes. One object per process.
std::unique_ptr<Ranks> make_mpi_ranks();

/// Ends all ranks at once after a failure on one of them. Does not return.
[[noreturn]] void abort_all_ranks(int code);

}  // namespace taihu::neutron
