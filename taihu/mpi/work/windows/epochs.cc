// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/windows/epochs.h"

#include <sched.h>

#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/work/windows/epoch_parts.h"

namespace taihu::mpi::windows {
namespace {

constexpr int any_assertion =
    MPI_MODE_NOCHECK | MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT | MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED;

}  // namespace

void require_assertion(int assertion) {
  require((assertion & ~any_assertion) == 0, MPI_ERR_ASSERT,
          "the assertion is not a combination of MPI_MODE_NOCHECK, NOSTORE, NOPUT, NOPRECEDE and NOSUCCEED");
}

void wait_for_answers(Window& window, const std::atomic<std::uint32_t>& counter, int target) {
  if (counter.load(std::memory_order_acquire) != 0) {
    waits_for(target, -1, window.communicator->context, window.size());
    window.endpoint().wait_until([&] { return counter.load(std::memory_order_acquire) == 0; });
  }
}

void report_remote_error(Window& window) {
  if (window.remote_error.load(std::memory_order_relaxed) == MPI_SUCCESS) [[likely]]
    return;
  const int code = window.remote_error.exchange(MPI_SUCCESS);
  throw CallError(code, "an access of this epoch went to memory that its target has not attached");
}

void take_turn(Window& window) {
  const std::uint32_t turn = window.idle_turns.load(std::memory_order_relaxed) + 1;
  window.idle_turns.store(turn, std::memory_order_relaxed);
  if (turn % 64 != 0) return;
  window.endpoint().progress();
  // Short spinning is the sign that waiting threads have no cores of their own.
  if (threads::wait_policy().spins < 1000) sched_yield();
}

void open_target(Window& window, int target) {
  const Access access = window.access.load(std::memory_order_relaxed);
  if (access == Access::lock_all) {
    lock_lazily(window, target);
    return;
  }
  if (access == Access::fence_possible || access == Access::fence) {
    window.access.store(Access::fence, std::memory_order_relaxed);
    window.open_to_all.store(true, std::memory_order_relaxed);
    return;
  }
  throw CallError(MPI_ERR_RMA_SYNC,
                  "the access is outside of an epoch for its target; begin one by MPI_Win_fence, "
                  "MPI_Win_start, MPI_Win_lock or MPI_Win_lock_all");
}

void complete_everything(Window& window) {
  wait_for_answers(window, window.pending, -1);
}

void require_no_epoch(Window& window) {
  require(may_begin(window.access.load(std::memory_order_relaxed)) ||
              window.access.load(std::memory_order_relaxed) == Access::fence,
          MPI_ERR_RMA_SYNC,
          "the rank is in an access epoch on this window; end it before freeing the window");
  require(
      !window.posted, MPI_ERR_RMA_SYNC,
      "the rank is in an exposure epoch on this window; end it by MPI_Win_wait before freeing the window");
}

}  // namespace taihu::mpi::windows
