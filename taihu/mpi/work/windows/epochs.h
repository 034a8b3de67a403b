// SPDX-License-Identifier: Apache-2.0
// Synchronisation of windows (MPI-3.1 section 11.5): which accesses are allowed when, and when they are
// complete. Accesses to ranks of the same node process are complete when their call returns, so all that is
// waited for are answers of other node processes, locks and posts.
//
// Locks of MPI_Win_lock_all are taken at the first access to a target, because most epochs touch few of them;
// only in shared windows, where accesses are plain loads and stores, at once.
#pragma once

#include "taihu/mpi/work/windows/window.h"

namespace taihu::mpi::windows {

/// Throws MPI_ERR_RMA_SYNC unless `target` may be accessed now; may wait for its lock.
void open_target(Window& window, int target);
inline void require_access(Window& window, int target) {
  if (window.open_to_all.load(std::memory_order_relaxed) ||
      window.targets[static_cast<unsigned>(target)].access.load(std::memory_order_relaxed) !=
          TargetAccess::closed) [[likely]]
    return;
  open_target(window, target);
}
/// For request-based accesses: the epoch must be one of locks.
void require_lock_epoch(Window& window, const char* text);

// Each does what the call of its name does, for the calling rank; `target` may be MPI_PROC_NULL.

void fence(Window& window, int assertion);

void start(Window& window, const Group& group, int assertion);
void complete(Window& window);
void post(Window& window, const Group& group, int assertion);
void wait(Window& window);
bool test(Window& window);

void lock(Window& window, LockKind kind, int target, int assertion);
void unlock(Window& window, int target);
void lock_all(Window& window, int assertion);
void unlock_all(Window& window);

void flush(Window& window, int target);
void flush_all(Window& window);
void flush_local(Window& window, int target);
void flush_local_all(Window& window);
void sync(Window& window);

/// Waits until nothing of this rank is under way on the window.
void complete_everything(Window& window);
/// Throws MPI_ERR_RMA_SYNC when an epoch is open that must be closed before the window is freed.
void require_no_epoch(Window& window);

}  // namespace taihu::mpi::windows
