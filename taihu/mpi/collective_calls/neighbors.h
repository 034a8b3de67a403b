// SPDX-License-Identifier: Apache-2.0
// What collectives of all members and those of neighbours have in common.
#pragma once

#include "taihu/mpi/collective_calls/arguments.h"
#include "taihu/mpi/collective_calls/collectives.h"

namespace taihu::mpi::collectives {

/// Where the blocks of `members` go.
Blocks blocks_of(Rank& rank, const Allgather& arguments, int members);
Blocks blocks_of(Rank& rank, const Side& side, Form form, int members);

}  // namespace taihu::mpi::collectives
