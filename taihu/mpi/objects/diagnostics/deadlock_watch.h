// SPDX-License-Identifier: Apache-2.0
// What the watch over a job (node/deadlock_watch.h) sees of ranks. A rank that computes, that polls by
// MPI_Test, or that reads or writes a file is never taken for stuck; one whose program has ended counts as
// stuck, since nobody will hear from it again.
//
// Members that are in the same collective, the third of a communicator, say, but in different calls, or with
// different roots or lengths, wait for each other where nobody has found that by the messages.
#pragma once

#include <string>
#include <vector>

#include "taihu/node/deadlock_watch.h"

namespace taihu::mpi {

class Rank;

/// Whether all of these ranks wait, and in which calls.
node::DeadlockWatch::Progress look_at(const std::vector<Rank*>& ranks);

/// Who of the ranks waits for whom, a line each.
std::string waiting_ranks(const std::vector<Rank*>& ranks);

/// The collectives that the ranks have begun, for `contradiction`: of those that agree only one.
std::string pending_collectives(const std::vector<Rank*>& ranks);

/// In which collective members contradict each other, by what `pending_collectives` has said in all node
/// processes: ranks, calls, roots and lengths. Empty: in none.
std::string contradiction(const std::vector<std::string>& of_processes);

}  // namespace taihu::mpi
