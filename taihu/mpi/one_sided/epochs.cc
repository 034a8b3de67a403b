// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/one_sided/epochs.h"

#include <sched.h>

#include <mutex>

#include "taihu/collective/collectives.h"
#include "taihu/mpi/current_call.h"
#include "taihu/mpi/one_sided/agreement.h"
#include "taihu/mpi/one_sided/remote_window.h"

namespace taihu::mpi {
namespace {

constexpr int any_assertion =
    MPI_MODE_NOCHECK | MPI_MODE_NOPRECEDE | MPI_MODE_NOPUT | MPI_MODE_NOSTORE | MPI_MODE_NOSUCCEED;

void require_assertion(int assertion) {
  require((assertion & ~any_assertion) == 0, MPI_ERR_ASSERT,
          "the assertion is not a combination of MPI_MODE_NOCHECK, NOSTORE, NOPUT, NOPRECEDE and NOSUCCEED");
}

Target& target_of(Window& window, int member) {
  return window.targets[static_cast<unsigned>(member)];
}

int job_rank(Window& window, int member) {
  return window.communicator->group->ranks[static_cast<unsigned>(member)];
}

/// Waits until no call of `counter` is under way.
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

/// Programs poll with nothing but accesses and flushes. What they wait for may need this rank's progress, or
/// its core.
void take_turn(Window& window) {
  const std::uint32_t turn = window.idle_turns.load(std::memory_order_relaxed) + 1;
  window.idle_turns.store(turn, std::memory_order_relaxed);
  if (turn % 64 != 0) return;
  window.endpoint().progress();
  // Short spinning is the sign that waiting threads have no cores of their own.
  if (threads::wait_policy().spins < 1000) sched_yield();
}

/// May an epoch of locks or of MPI_Win_start begin?
bool may_begin(Access access) {
  return access == Access::none || access == Access::fence_possible;
}

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

/// Under lock_all: takes the lock of a target that has not been accessed yet.
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

/// Member numbers of the window for a group of MPI_Win_post or MPI_Win_start.
std::vector<int> members_of(Window& window, const Group& group) {
  std::vector<int> members;
  for (const int rank : group.ranks) {
    const int member = window.communicator->group->member_of(rank);
    require(member != MPI_UNDEFINED, MPI_ERR_GROUP,
            "a member of the group is not a member of the window's group");
    members.push_back(member);
  }
  return members;
}

/// Closes the exposure epoch when all its origins have completed.
bool try_close_exposure(Window& window) {
  if (window.exposure.completions.load(std::memory_order_acquire) < window.completions_expected) return false;
  window.posted = false;
  return true;
}

void barrier(Window& window) {
  waits_for_members(window.communicator->context, window.size());
  require_collective(collective::barrier(window.communicator->collectives()));
}

}  // namespace

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

void require_lock_epoch(Window& window, const char* text) {
  const Access access = window.access.load(std::memory_order_relaxed);
  require(access == Access::lock_all || access == Access::locks, MPI_ERR_RMA_SYNC, text);
}

void fence(Window& window, int assertion) {
  require_assertion(assertion);
  const Access access = window.access.load(std::memory_order_relaxed);
  require(may_begin(access) || access == Access::fence, MPI_ERR_RMA_SYNC,
          "the rank is in an epoch of MPI_Win_start or MPI_Win_lock on this window; end it first");
  require(!window.posted, MPI_ERR_RMA_SYNC,
          "the rank is in an exposure epoch of MPI_Win_post on this window; end it by MPI_Win_wait first");
  complete_everything(window);
  const bool goes_on = (assertion & MPI_MODE_NOSUCCEED) == 0;
  window.access.store(goes_on ? Access::fence_possible : Access::none, std::memory_order_relaxed);
  window.open_to_all.store(false, std::memory_order_relaxed);
  // Even at the first fence others must not access memory that its owner still fills.
  barrier(window);
  report_remote_error(window);
}

void start(Window& window, const Group& group, int assertion) {
  require_assertion(assertion);
  require(may_begin(window.access.load(std::memory_order_relaxed)), MPI_ERR_RMA_SYNC,
          "the rank is in another access epoch on this window; end it first");
  std::vector<int> members = members_of(window, group);
  for (const int member : members) {
    Target& target = target_of(window, member);
    const std::atomic<std::uint32_t>& posts = window.exposure.posts[static_cast<unsigned>(member)];
    const std::uint32_t seen = target.posts_used++;
    if ((assertion & MPI_MODE_NOCHECK) == 0 && posts.load(std::memory_order_acquire) == seen) {
      waits_for(job_rank(window, member), -1, window.communicator->context, window.size());
      window.endpoint().wait_until([&] { return posts.load(std::memory_order_acquire) != seen; });
    }
    target.access.store(TargetAccess::started, std::memory_order_relaxed);
  }
  window.opened = std::move(members);
  window.access.store(Access::started, std::memory_order_relaxed);
}

void complete(Window& window) {
  require(window.access.load(std::memory_order_relaxed) == Access::started, MPI_ERR_RMA_SYNC,
          "the rank is not in an epoch of MPI_Win_start on this window");
  complete_everything(window);
  for (const int member : window.opened) {
    Target& target = target_of(window, member);
    target.access.store(TargetAccess::closed, std::memory_order_relaxed);
    if (target.exposure != nullptr) {
      target.exposure->count(target.exposure->completions);
    } else {
      remote_complete(window, target);
    }
  }
  window.opened.clear();
  window.access.store(Access::none, std::memory_order_relaxed);
  report_remote_error(window);
}

void post(Window& window, const Group& group, int assertion) {
  require_assertion(assertion);
  require(!window.posted, MPI_ERR_RMA_SYNC,
          "the rank is in an exposure epoch on this window; end it by MPI_Win_wait first");
  require(window.access.load(std::memory_order_relaxed) != Access::fence, MPI_ERR_RMA_SYNC,
          "the rank is in an epoch of MPI_Win_fence on this window; end it by another fence first");
  const std::vector<int> members = members_of(window, group);
  window.posted = true;
  window.completions_expected += members.size();
  const auto me = static_cast<unsigned>(window.communicator->rank);
  for (const int member : members) {
    Target& target = target_of(window, member);
    if (target.exposure != nullptr) {
      target.exposure->count(target.exposure->posts[me]);
    } else {
      remote_post(window, target);
    }
  }
}

void wait(Window& window) {
  require(window.posted, MPI_ERR_RMA_SYNC,
          "the rank is not in an exposure epoch of MPI_Win_post on this window");
  waits_for(-1, -1, window.communicator->context, window.size());
  window.endpoint().wait_until([&] { return try_close_exposure(window); });
}

bool test(Window& window) {
  require(window.posted, MPI_ERR_RMA_SYNC,
          "the rank is not in an exposure epoch of MPI_Win_post on this window");
  if (try_close_exposure(window)) return true;
  window.endpoint().progress();
  take_turn(window);
  return try_close_exposure(window);
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

}  // namespace taihu::mpi
