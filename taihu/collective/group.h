// SPDX-License-Identifier: Apache-2.0
// Groups of ranks that call collectives together: who belongs, who shares a node process, and the shared
// board on which the members of a node process meet. One GroupState per group and node process, one
// GroupHandle per rank.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "taihu/collective/board.h"
#include "taihu/collective/scratch.h"
#include "taihu/message/endpoint.h"

namespace taihu::collective {

/// Who is where. "Member" is a rank in the group, "process" an index among the node processes that host
/// members, in the order of their first members.
///
/// Invariants: members_of[process[m]][local_index[m]] == m; each members_of[p] grows; `consecutive` tells
/// that members_of[0], members_of[1], ... one behind the other are 0, 1, 2, ...
struct Membership {
  std::vector<int> ranks;                    ///< member -> rank of the job
  std::vector<int> process;                  ///< member -> process
  std::vector<int> local_index;              ///< member -> index among the members of its process
  std::vector<std::vector<int>> members_of;  ///< process -> its members
  int here = -1;                             ///< this node process, -1 when it hosts no member
  bool consecutive = true;

  int members() const noexcept { return static_cast<int>(ranks.size()); }
  int processes() const noexcept { return static_cast<int>(members_of.size()); }
  const std::vector<int>& local() const noexcept { return members_of[static_cast<std::size_t>(here)]; }
};

Membership make_membership(const launch::Layout& layout, int this_process, std::span<const int> ranks);

/// What the members of one node process share.
struct GroupState {
  GroupState(message::Node& node, message::Context context, std::span<const int> ranks, bool crowded);

  Membership membership;
  message::Context context;
  Board board;
  std::vector<long> joins;  ///< local index -> times it joined; guarded by Groups
};

/// A rank's part in a group. Used by one thread at a time; must not outlive its Node.
class GroupHandle {
 public:
  GroupHandle(std::shared_ptr<GroupState> state, message::Endpoint& endpoint, int member);

  int rank() const noexcept { return member_; }
  int size() const noexcept { return state_->membership.members(); }
  /// Rank of the job of member `member`; -1 when there is none.
  int global_rank(int member) const noexcept;

  /// What was wrong when a collective returned M_ERROR_ARGUMENT or M_ERROR_TRUNCATE because the calls of two
  /// members did not fit together; names both by their rank of the job.
  const std::string& problem() const noexcept { return problem_; }

  // For the collectives themselves.
  GroupState& state() noexcept { return *state_; }
  const Membership& membership() const noexcept { return state_->membership; }
  Board& board() noexcept { return state_->board; }
  message::Endpoint& endpoint() noexcept { return *endpoint_; }
  int local_index() const noexcept { return local_index_; }
  int local_members() const noexcept { return state_->board.members(); }
  StepNumber next_step() noexcept { return ++step_; }
  /// Step that all local members are known to have arrived at.
  StepNumber& known_arrived() noexcept { return known_arrived_; }
  void set_problem(std::string text) { problem_ = std::move(text); }
  Scratch& stage() noexcept { return stage_; }
  Scratch& schedule_scratch() noexcept { return schedule_scratch_; }

 private:
  std::shared_ptr<GroupState> state_;
  message::Endpoint* endpoint_;
  int member_;
  int local_index_;
  StepNumber step_;
  StepNumber known_arrived_ = 0;
  std::string problem_;
  Scratch stage_;
  Scratch schedule_scratch_;
};

/// Contexts of groups other than the four scopes start here.
inline constexpr message::Context first_free_context = message::collective_context + 4;

/// The groups of a node process. Any thread may call.
class Groups {
 public:
  /// With more ranks than `cores` here, waiting ranks are woken as rarely as possible. Does not own `node`.
  explicit Groups(message::Node& node, int cores = usable_cores());

  /// The part of `endpoint`'s rank in the group of `ranks` (ranks of the job in group order, each once, its
  /// own among them). All members pass equal `ranks` and `context`; groups that have members in common need
  /// different contexts. Joining needs no other member and does not block. Throws Error when the rank is not
  /// among `ranks` or a rank is named twice or does not exist. Leaving is destroying the handle; a member
  /// joins and leaves a group as often as the others.
  GroupHandle join(message::Endpoint& endpoint, message::Context context, std::span<const int> ranks);
  /// The caller's group of a scope of the job.
  GroupHandle join(message::Endpoint& endpoint, launch::Scope scope);

  /// Cores that this process may use.
  static int usable_cores() noexcept;

 private:
  using Key = std::pair<message::Context, std::vector<int>>;

  // `kept` holds the state while members have joined it unequally often: one that is late must find what the
  // others did, even when they have left again.
  struct Entry {
    std::weak_ptr<GroupState> state;
    std::shared_ptr<GroupState> kept;
  };

  message::Node& node_;
  bool crowded_;
  std::mutex mutex_;
  std::map<Key, Entry> entries_;
};

}  // namespace taihu::collective
