// SPDX-License-Identifier: Apache-2.0
// Synchronisation calls of windows (MPI-3.1 section 11.5).
#include "taihu/mpi/calls/windows/window_call.h"
#include "taihu/mpi/work/windows/epochs.h"

using namespace taihu::mpi;
using namespace taihu::mpi::windows;

namespace {

int checked_target(const Window& window, int target) {
  require(target == MPI_PROC_NULL || (target >= 0 && target < window.size()), MPI_ERR_RANK,
          "the target is not a rank of the window");
  return target;
}

Group& checked_group(Rank& rank, MPI_Group handle) {
  return checked<Group>(rank, handle, MPI_ERR_GROUP, "the group is MPI_GROUP_NULL or not valid");
}

}  // namespace

MPI_CALL(int, Win_fence, (int assert, MPI_Win win)) {
  return on_window("MPI_Win_fence", win, [&](Rank&, Window& window) { fence(window, assert); });
}

MPI_CALL(int, Win_start, (MPI_Group group, int assert, MPI_Win win)) {
  return on_window("MPI_Win_start", win,
                   [&](Rank& rank, Window& window) { start(window, checked_group(rank, group), assert); });
}

MPI_CALL(int, Win_complete, (MPI_Win win)) {
  return on_window("MPI_Win_complete", win, [&](Rank&, Window& window) { complete(window); });
}

MPI_CALL(int, Win_post, (MPI_Group group, int assert, MPI_Win win)) {
  return on_window("MPI_Win_post", win,
                   [&](Rank& rank, Window& window) { post(window, checked_group(rank, group), assert); });
}

MPI_CALL(int, Win_wait, (MPI_Win win)) {
  return on_window("MPI_Win_wait", win, [&](Rank&, Window& window) { wait(window); });
}

MPI_CALL(int, Win_test, (MPI_Win win, int* flag)) {
  return on_window("MPI_Win_test", win, [&](Rank&, Window& window) { *flag = test(window) ? 1 : 0; });
}

MPI_CALL(int, Win_lock, (int lock_type, int rank, int assert, MPI_Win win)) {
  return on_window("MPI_Win_lock", win, [&](Rank&, Window& window) {
    require(lock_type == MPI_LOCK_SHARED || lock_type == MPI_LOCK_EXCLUSIVE, MPI_ERR_LOCKTYPE,
            "the lock type is neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE");
    lock(window, lock_type == MPI_LOCK_SHARED ? LockKind::shared : LockKind::exclusive,
         checked_target(window, rank), assert);
  });
}

MPI_CALL(int, Win_unlock, (int rank, MPI_Win win)) {
  return on_window("MPI_Win_unlock", win,
                   [&](Rank&, Window& window) { unlock(window, checked_target(window, rank)); });
}

MPI_CALL(int, Win_lock_all, (int assert, MPI_Win win)) {
  return on_window("MPI_Win_lock_all", win, [&](Rank&, Window& window) { lock_all(window, assert); });
}

MPI_CALL(int, Win_unlock_all, (MPI_Win win)) {
  return on_window("MPI_Win_unlock_all", win, [&](Rank&, Window& window) { unlock_all(window); });
}

MPI_CALL(int, Win_flush, (int rank, MPI_Win win)) {
  return on_window("MPI_Win_flush", win,
                   [&](Rank&, Window& window) { flush(window, checked_target(window, rank)); });
}

MPI_CALL(int, Win_flush_all, (MPI_Win win)) {
  return on_window("MPI_Win_flush_all", win, [&](Rank&, Window& window) { flush_all(window); });
}

MPI_CALL(int, Win_flush_local, (int rank, MPI_Win win)) {
  return on_window("MPI_Win_flush_local", win,
                   [&](Rank&, Window& window) { flush_local(window, checked_target(window, rank)); });
}

MPI_CALL(int, Win_flush_local_all, (MPI_Win win)) {
  return on_window("MPI_Win_flush_local_all", win, [&](Rank&, Window& window) { flush_local_all(window); });
}

MPI_CALL(int, Win_sync, (MPI_Win win)) {
  return on_window("MPI_Win_sync", win, [&](Rank&, Window& window) { sync(window); });
}
