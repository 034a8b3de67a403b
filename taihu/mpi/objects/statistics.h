// SPDX-License-Identifier: Apache-2.0
// What `marun --stats` counts: calls and time in them by thread, messages by rank (node/call_statistics.h).
// Off unless the job asks for it; then two readings of the clock per call.
#pragma once

#include <cstdint>

#include "taihu/node/call_statistics.h"

namespace taihu::mpi {

class Rank;

/// Whether calls are counted. Set before ranks run, constant afterwards.
extern bool statistics_wanted;

/// Counts a point-to-point message of the calling thread.
void count_message(bool inside, std::uint64_t bytes) noexcept;

/// Messages of all threads of rank `rank` of the job, which is in this node process; zeros when nothing is
/// counted.
node::MessageCounts messages_of(int rank) noexcept;

/// All ranks of the job call (in MPI_Finalize): rank 0 prints the tables of the job on standard error.
void report_statistics(Rank& rank);

}  // namespace taihu::mpi
