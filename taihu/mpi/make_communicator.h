// SPDX-License-Identifier: Apache-2.0
// Making communicators: agreement of the members on contexts. One member mints them (Rank::mint_contexts) and
// tells the others, so that no two communicators of a job ever have the same, also when several threads make
// communicators at once.
#pragma once

#include <optional>
#include <vector>

#include "taihu/mpi/communicator.h"

namespace taihu::mpi {

/// All members of `communicator` call: one with the same groups and new contexts, error handler inherited,
/// without attributes, topology and name. For MPI_Comm_dup, windows and files.
Reference<Communicator> duplicate(Communicator& communicator);

/// All members of the intracommunicator `communicator` call with one and the same `members` (numbers in it,
/// in the order of the new one); null for those that are not among them.
Reference<Communicator> make_subset(Communicator& communicator, const std::vector<int>& members);

/// As MPI_Comm_split for intracommunicators; null with `color` MPI_UNDEFINED.
Reference<Communicator> split(Communicator& communicator, int color, int key);

}  // namespace taihu::mpi
