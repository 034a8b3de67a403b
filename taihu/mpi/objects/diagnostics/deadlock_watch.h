// SPDX-License-Identifier: Apache-2.0
// What `marun --deadlock-timeout` sees of ranks (the watch itself is node/deadlock_watch.h). A rank that
// computes, or that polls by MPI_Test, is never taken for stuck; one whose program has ended counts as stuck,
// since nobody will hear from it again.
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

}  // namespace taihu::mpi
