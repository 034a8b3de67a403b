// SPDX-License-Identifier: Apache-2.0
// `marun --trace-collectives FILE`: one line of JSON for each collective call of a communicator: what was
// called, how many bytes, which root, and when each member came and went. Kept in memory while the program
// runs, up to a limit; MPI_Finalize writes it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace taihu::mpi {

class Rank;
struct Communicator;

/// Whether collectives are traced to such a file. Set before ranks run, constant afterwards.
extern bool trace_wanted;
/// Traces collectives: up to `most_calls` calls of the job, dealt evenly to its ranks. Before ranks run.
void trace_collectives(std::size_t most_calls, int ranks) noexcept;

/// One member's part of a collective, from its making to its end, where calls are observed: for this file,
/// and for `marun --trace`. `bytes`: what this member sends, or for a broadcast gets; `root`: -1 where there
/// is none.
class TracedCollective {
 public:
  TracedCollective(Rank& rank, Communicator& communicator, const char* call, std::int64_t bytes, int root);
  ~TracedCollective();
  TracedCollective(const TracedCollective&) = delete;
  TracedCollective& operator=(const TracedCollective&) = delete;

 private:
  Rank& rank_;
  std::size_t place_ = 0;
};

/// All ranks of the job call (in MPI_Finalize): rank 0 writes the file, and tells on standard error when it
/// cannot, or when there were more calls than are kept.
void write_trace(Rank& rank);

/// Whether this rank should have written the file and could not.
bool trace_lost(Rank& rank);

}  // namespace taihu::mpi
