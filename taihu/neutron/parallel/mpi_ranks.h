// SPDX-License-Identifier: Apache-2.0
// Ranks of an MPI job. Uses plain <mpi.h>, so it builds with any MPI library's compiler wrapper and with
// macc.
#pragma once

#include <memory>

#include "taihu/neutron/parallel/ranks.h"

namespace taihu::neutron {

/// Whether this process was started by an MPI launcher, so that there is something to join.
bool started_by_mpi();

/// MPI_COMM_WORLD, initialised here and finalised when the object goes. One object per process.
std::unique_ptr<Ranks> make_mpi_ranks();

/// Ends all ranks at once after a failure on one of them. Does not return.
[[noreturn]] void abort_all_ranks(int code);

}  // namespace taihu::neutron
