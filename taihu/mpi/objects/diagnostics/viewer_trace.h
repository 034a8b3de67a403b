// SPDX-License-Identifier: Apache-2.0
// `marun --trace FILE`: the calls of all ranks that send, receive or wait, and arrows from each message's
// send to its receive, in the Trace Event Format, which Perfetto and the viewers of web browsers read.
#pragma once

namespace taihu::mpi {

class Rank;

/// All ranks that the job has started with call (in MPI_Finalize): rank 0 writes the file, and tells on
/// standard error when it cannot, or when calls were left out.
void write_viewer_trace(Rank& rank);

/// Whether this rank should have written the file and could not.
bool viewer_trace_lost(Rank& rank);

}  // namespace taihu::mpi
