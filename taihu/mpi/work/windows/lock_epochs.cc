// SPDX-License-Identifier: Apache-2.0
// Epochs of locks, and the flushes that only they have.
#include <mutex>

#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/work/windows/epoch_parts.h"
#include "taihu/mpi/work/windows/remote_window.h"

namespace taihu::mpi::windows {
namespace {

void take_lock(Window& window, Target& target, LockKind kind, int member) {
  if (target.exposure == nullptr) {
    remote_lock(window, target, kind);
    return;
  }
  RankLock& lock = target.exposure->lock;
  if (lock.try_acquire(kind)) return;
  std::atomic<bool> mine{false};
  message::Endpoint& endpoint = window.endpoint();
  lock.acquire(kind, [&mine, &endpoint] {
    threads::Doorbell& bell = endpoint.doorbell();
    mine.store(true, std::memory_order_release);  // `mine` may be gone now
    bell.ring();
  });
  waits_for(job_rank(window, member), -1, window.communicator->context, window.size());
  endpoint.wait_until([&] { return mine.load(std::memory_order_acquire); });
}

/// Gives back what `access` says this rank has.
void give_back(Window& window, Target& target, TargetAccess access) {
  if (access != TargetAccess::shared && access != TargetAccess::exclusive) return;
  const LockKind kind = access == TargetAccess::shared ? LockKind::shared : LockKind::exclusive;
  if (target.exposure != nullptr) {
    target.exposure->lock.release(kind);
  } else {
    remote_unlock(window, target, kind);
  }
}

/// Whether the rank holds locks that include `target`.
void require_locked(Window& window, int target) {
  const Access access = window.access.load(std::memory_order_relaxed);
  if (access == Access::lock_all) return;
  const bool locked =
      access == Access::locks &&
      (target == MPI_PROC_NULL ||
       target_of(window, target).access.load(std::memory_order_relaxed) != TargetAccess::closed);
  require(locked, MPI_ERR_RMA_SYNC,
          "the target is not locked by this rank; lock it first by MPI_Win_lock or MPI_Win_lock_all");
}

void require_any_lock(Window& window) {
  require_lock_epoch(window, "no target is locked by this rank; call MPI_Win_lock or MPI_Win_lock_all first");
}

}  // namespace

void lock_lazily(Window& window, int member) {
  Target& target = target_of(window, member);
  TargetAccess access = TargetAccess::unchecked;
  if (!window.lock_all_unchecked) {
    take_lock(window, target, LockKind::shared, member);
    access = TargetAccess::shared;
  }
  const std::lock_guard hold(window.epoch_lock);
  if (target.access.load(std::memory_order_relaxed) != TargetAccess::closed) {
    // Another thread of this rank was faster.
    give_back(window, target, access);
    return;
  }
  target.access.store(access, std::memory_order_relaxed);
  window.opened.push_back(member);
}

void require_lock_epoch(Window& window, const char* text) {
  const Access access = window.access.load(std::memory_order_relaxed);
  require(access == Access::lock_all || access == Access::locks, MPI_ERR_RMA_SYNC, text);
}

void lock(Window& window, LockKind kind, int member, int assertion) {
  require_assertion(assertion);
  {
    const std::lock_guard hold(window.epoch_lock);
    const Access access = window.access.load(std::memory_order_relaxed);
    require(may_begin(access) || access == Access::locks, MPI_ERR_RMA_SYNC,
            "the rank is in another access epoch on this window; end it first");
    if (member != MPI_PROC_NULL) {
      require(target_of(window, member).access.load(std::memory_order_relaxed) == TargetAccess::closed,
              MPI_ERR_RMA_SYNC, "the rank has already locked this target");
    }
    ++window.locks;
    window.access.store(Access::locks, std::memory_order_relaxed);
  }
  if (member == MPI_PROC_NULL) return;
  Target& target = target_of(window, member);
  TargetAccess access = TargetAccess::unchecked;
  if ((assertion & MPI_MODE_NOCHECK) == 0) {
    take_lock(window, target, kind, member);
    access = kind == LockKind::shared ? TargetAccess::shared : TargetAccess::exclusive;
  }
  target.access.store(access, std::memory_order_relaxed);
}

void unlock(Window& window, int member) {
  require(window.access.load(std::memory_order_relaxed) == Access::locks, MPI_ERR_RMA_SYNC,
          "the rank has not locked this target by MPI_Win_lock");
  require_locked(window, member);
  if (member != MPI_PROC_NULL) {
    Target& target = target_of(window, member);
    wait_for_answers(window, target.pending, job_rank(window, member));
    give_back(window, target, target.access.exchange(TargetAccess::closed, std::memory_order_relaxed));
  }
  {
    const std::lock_guard hold(window.epoch_lock);
    if (--window.locks == 0) window.access.store(Access::none, std::memory_order_relaxed);
  }
  report_remote_error(window);
}

void lock_all(Window& window, int assertion) {
  require_assertion(assertion);
  {
    const std::lock_guard hold(window.epoch_lock);
    require(may_begin(window.access.load(std::memory_order_relaxed)), MPI_ERR_RMA_SYNC,
            "the rank is in another access epoch on this window; end it first");
    window.lock_all_unchecked = (assertion & MPI_MODE_NOCHECK) != 0;
    window.access.store(Access::lock_all, std::memory_order_relaxed);
  }
  if (window.flavor != MPI_WIN_FLAVOR_SHARED) return;
  for (int member = 0; member < window.size(); ++member) lock_lazily(window, member);
}

void unlock_all(Window& window) {
  require(window.access.load(std::memory_order_relaxed) == Access::lock_all, MPI_ERR_RMA_SYNC,
          "the rank is not in an epoch of MPI_Win_lock_all on this window");
  complete_everything(window);
  for (const int member : window.opened) {
    Target& target = target_of(window, member);
    give_back(window, target, target.access.exchange(TargetAccess::closed, std::memory_order_relaxed));
  }
  window.opened.clear();
  window.access.store(Access::none, std::memory_order_relaxed);
  report_remote_error(window);
}

void flush(Window& window, int member) {
  require_locked(window, member);
  if (member != MPI_PROC_NULL) {
    wait_for_answers(window, target_of(window, member).pending, job_rank(window, member));
  }
  report_remote_error(window);
  take_turn(window);
}

void flush_all(Window& window) {
  require_any_lock(window);
  complete_everything(window);
  report_remote_error(window);
  take_turn(window);
}

void flush_local(Window& window, int member) {
  require_locked(window, member);
  // What goes out was copied by its call.
  if (member != MPI_PROC_NULL) {
    wait_for_answers(window, target_of(window, member).awaited, job_rank(window, member));
  }
  take_turn(window);
}

void flush_local_all(Window& window) {
  require_any_lock(window);
  for (int member = 0; member < window.size(); ++member) {
    wait_for_answers(window, target_of(window, member).awaited, job_rank(window, member));
  }
  take_turn(window);
}

void sync(Window& window) {
  // Orders the loads and stores around it for all threads of the machine; a locked operation is the cheapest
  // way, and one that the thread sanitizer knows.
  window.idle_turns.fetch_add(1, std::memory_order_seq_cst);
  take_turn(window);
}

}  // namespace taihu::mpi::windows
