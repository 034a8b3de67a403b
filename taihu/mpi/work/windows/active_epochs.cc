// SPDX-License-Identifier: Apache-2.0
// Epochs in which the target takes part: fences, and the four calls of start, complete, post and wait.
#include "taihu/collective/collectives.h"
#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/work/windows/agreement.h"
#include "taihu/mpi/work/windows/epoch_parts.h"
#include "taihu/mpi/work/windows/remote_window.h"

namespace taihu::mpi::windows {
namespace {

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

}  // namespace taihu::mpi::windows
