// SPDX-License-Identifier: Apache-2.0
// Collectives of neighbours: blocking, non-blocking, persistent.
#include "taihu/mpi/calls/collectives/entry.h"

using namespace taihu::mpi::collectives;

#define COUNTED_CALLS "taihu/mpi/calls/collectives/calls_neighbors.inc"
#include "taihu/mpi/objects/counted_calls.h"
