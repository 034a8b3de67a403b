// SPDX-License-Identifier: Apache-2.0
// Reproducible reductions, for programs that ask for them: sums of floating-point numbers over the members of
// a communicator have the same bits whatever the number of ranks and node processes, and wherever these are,
// as long as the terms are the same. Each number becomes an exact sum (base/exact_sum.h), 68 words of 64 bits
// that are added as integers; the last rank to hold the sum rounds it once.
//
// Asked for by the variable TAIHU_REPRODUCIBLE=1 for all communicators, or by the info key
// "taihu_reproducible" with the value "true" for one (MPI_Comm_dup_with_info, MPI_Comm_set_info on all its
// members).
#pragma once

#include <string>

#include "taihu/mpi/objects/communicator.h"
#include "taihu/mpi/work/collectives/collectives.h"

namespace taihu::mpi::collectives {

/// False until some communicator of the process was asked to be so: then nothing below is called.
bool reproducible_wanted() noexcept;

/// A communicator of this process has got such a key.
void note_reproducible(const std::string& key, const std::string& value) noexcept;

/// Carries the call out if its result depends on the order of the terms; false: it is left to others. Throws
/// CallError (MPI_ERR_UNSUPPORTED_OPERATION) for what cannot be made reproducible: MPI_PROD of floating-point
/// numbers, sums of long double, intercommunicators.
bool run_reproducible(Rank& rank, Communicator& communicator, const Reduce& arguments);
bool run_reproducible(Rank& rank, Communicator& communicator, const Allreduce& arguments);
bool run_reproducible(Rank& rank, Communicator& communicator, const ReduceScatter& arguments);
bool run_reproducible(Rank& rank, Communicator& communicator, const Scan& arguments);

/// Throws the same where a call in the background would depend on the order.
void refuse_in_background(Rank& rank, Communicator& communicator, MPI_Op operation, MPI_Datatype type);

}  // namespace taihu::mpi::collectives
