// SPDX-License-Identifier: Apache-2.0
// What the epochs of both kinds are made of: those in which the target takes part (active_epochs.cc) and
// those of locks (lock_epochs.cc).
#pragma once

#include "taihu/mpi/work/windows/epochs.h"

namespace taihu::mpi::windows {

inline Target& target_of(Window& window, int member) {
  return window.targets[static_cast<unsigned>(member)];
}

inline int job_rank(Window& window, int member) {
  return window.communicator->group->ranks[static_cast<unsigned>(member)];
}

/// May an epoch of locks or of MPI_Win_start begin?
inline bool may_begin(Access access) {
  return access == Access::none || access == Access::fence_possible;
}

void require_assertion(int assertion);
/// Throws what an access of this rank to another node process has met.
void report_remote_error(Window& window);
/// Programs poll with nothing but accesses, flushes and tests. What they wait for may need this rank's
/// progress, or its core.
void take_turn(Window& window);
/// Waits until no call of `counter` is under way; `target` is for reports.
void wait_for_answers(Window& window, const std::atomic<std::uint32_t>& counter, int target);
/// Under lock_all: takes the lock of a target that has not been accessed yet.
void lock_lazily(Window& window, int member);

}  // namespace taihu::mpi::windows
