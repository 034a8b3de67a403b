// SPDX-License-Identifier: Apache-2.0
// What ranks that have ended leave in the counts of calls (current_call.h).
#pragma once

namespace taihu::mpi {

/// Drops what the threads of a rank, none of which runs any more, have counted: another rank gets the number.
/// Any thread, when nobody asks for the counts of that rank.
void drop_counts_of(int rank);

}  // namespace taihu::mpi
