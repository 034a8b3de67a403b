// SPDX-License-Identifier: Apache-2.0
// What collectives of all members and those of neighbours have in common.
#pragma once

#include "taihu/mpi/work/collectives/arguments.h"
#include "taihu/mpi/work/collectives/collectives.h"

namespace taihu::mpi::collectives {

/// Where the blocks of `members` go.
Blocks blocks_of(Rank& rank, const Allgather& arguments, int members);
Blocks blocks_of(Rank& rank, const Side& side, Form form, int members);

}  // namespace taihu::mpi::collectives
