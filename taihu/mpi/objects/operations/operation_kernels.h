// SPDX-License-Identifier: Apache-2.0
// What the predefined operations do to elements of the predefined types: one kernel for each pair that has a
// meaning by the tables of MPI-3.1 section 5.9.2 and 5.9.4. Beyond the tables MPI_CHAR counts as a C integer,
// and Fortran integers and the types of several languages may be used in logical operations, because programs
// do both.
#pragma once

#include "taihu/collective/operations.h"
#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi {

/// The kernel of a predefined operation for a predefined type; null when the pair has no meaning. Kernels
/// take no context; elements are the type's extent apart. `target` may also be `left`. Any thread.
collective::Combine find_kernel(MPI_Op operation, const Datatype& type) noexcept;

}  // namespace taihu::mpi
