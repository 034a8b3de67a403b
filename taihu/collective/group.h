// SPDX-License-Identifier: Apache-2.0
// Groups of ranks that call collectives together: who belongs, who shares a node process, and the shared
// board on which the members of a node process meet. One GroupState per group and node process, one
// GroupHandle per rank.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "taihu/collective/helpers.h"
#include "taihu/collective/membership.h"
#include "taihu/collective/scratch.h"
#include "taihu/message/endpoint.h"

namespace taihu::collective {

class Board;
class AlltoallForms;
class LeaderForms;
class JobNetwork;
class PlainForms;
class ChoiceNotes;
class GroupRegistry;

/// What the members of one node process share. Made when the first of them joins, gone when all have left.
class GroupState {
 public:
  /// `registry` outlives it.
  GroupState(GroupRegistry& registry, message::Node& node, message::Context context,
             std::span<const int> ranks, bool crowded, const std::shared_ptr<JobNetwork>& network,
             const std::shared_ptr<ChoiceNotes>& notes);
  ~GroupState();

  const Membership membership;
  const message::Context context;

  /// Whether no other rank of this node process is a member.
  bool is_alone() const noexcept { return membership.local().size() == 1; }
  /// Made at the first call, so that a group without collectives costs little, or one that an earlier group
  /// of the same members has left. Any member.
  Board& board();
  /// What the network says; null when it is not described.
  AlltoallForms* alltoall_forms() noexcept { return alltoall_forms_.get(); }
  /// The same of collectives among the leaders of node processes.
  LeaderForms* leader_forms() noexcept { return leader_forms_.get(); }
  /// What they take otherwise. Any member.
  PlainForms& plain_forms();
  /// What all members take in the background. Any member.
  PlainForms& background_forms();

 private:
  friend class GroupRegistry;

  GroupRegistry& registry_;
  message::Node& node_;
  bool crowded_;
  std::once_flag board_is_made_;
  std::unique_ptr<Board> board_;
  std::unique_ptr<AlltoallForms> alltoall_forms_;
  std::unique_ptr<LeaderForms> leader_forms_;
  std::once_flag plain_forms_are_made_;
  std::unique_ptr<PlainForms> plain_forms_;
  std::once_flag background_forms_are_made_;
  std::unique_ptr<PlainForms> background_forms_;
  std::shared_ptr<ChoiceNotes> notes_;

  // Guarded by the registry. joins_[k]: times that local member k has joined; `most_joins_` the largest of
  // them, `members_with_most_` how many members have joined so often.
  std::vector<std::uint32_t> joins_;
  std::uint32_t most_joins_ = 0;
  std::size_t members_with_most_ = 0;
  int handles_ = 0;
};

struct LeaveGroup {
  std::shared_ptr<GroupRegistry> registry;
  void operator()(GroupState* state) const noexcept;
};

/// A rank's part in a group. Used by one thread at a time; must not outlive its Node.
class GroupHandle {
 public:
  using State = std::unique_ptr<GroupState, LeaveGroup>;
  GroupHandle(State state, message::Endpoint& endpoint, int member);

  int rank() const noexcept { return member_; }
  int size() const noexcept { return size_; }
  bool has_one_member() const noexcept { return size_ == 1; }
  /// Rank of the job of member `member`; -1 when there is none.
  int global_rank(int member) const noexcept;

  /// What was wrong when a collective returned M_ERROR_ARGUMENT or M_ERROR_TRUNCATE because the calls of two
  /// members did not fit together; names both by their rank of the job.
  const std::string& problem() const noexcept { return problem_; }

  /// Threads that may help this member with long copies; they must outlive the handle.
  void set_helpers(Helpers& helpers) { helped_copy_ = std::make_unique<HelpedCopy>(helpers); }

  // For the collectives themselves.
  GroupState& state() noexcept { return *state_; }
  const Membership& membership() const noexcept { return state_->membership; }
  Board& board() {
    if (board_ == nullptr) [[unlikely]]
      board_ = &state_->board();
    return *board_;
  }
  message::Endpoint& endpoint() noexcept { return *endpoint_; }
  int local_index() const noexcept { return local_index_; }
  int local_members() const noexcept { return local_members_; }
  /// All members are in this node process.
  bool is_all_here() const noexcept { return local_members_ == size_; }
  void set_problem(std::string text) { problem_ = std::move(text); }
  std::string reduction_text(std::uint32_t code) const;
  Scratch& stage() noexcept { return stage_; }
  Scratch& schedule_scratch() noexcept { return schedule_scratch_; }
  /// Null when nobody helps.
  HelpedCopy* helped_copy() noexcept { return helped_copy_.get(); }

 private:
  State state_;
  message::Endpoint* endpoint_;
  Board* board_ = nullptr;
  int size_;
  int local_members_;
  int member_;
  int local_index_;
  std::string problem_;
  Scratch stage_;
  Scratch schedule_scratch_;
  std::unique_ptr<HelpedCopy> helped_copy_;
};

/// Contexts of groups other than the four scopes start here.
inline constexpr message::Context first_free_context = message::collective_context + 4;

/// The groups of a node process. Any thread may call. Handles may outlive it.
class Groups {
 public:
  /// With more ranks than `cores` here, waiting ranks give their core away at once. Does not own `node`.
  /// Throws Error when TAIHU_NETWORK describes a network that cannot be used.
  explicit Groups(message::Node& node, int cores = usable_cores());
  /// The same on a network that the caller describes; null: on none.
  Groups(message::Node& node, int cores, std::shared_ptr<JobNetwork> network);

  /// The part of `endpoint`'s rank in the group of `ranks` (ranks of the job in group order, each once, its
  /// own among them). All members pass equal `ranks` and `context`; groups that have members in common need
  /// different contexts. Joining needs no other member and does not block. Throws Error when the rank is not
  /// among `ranks`, a rank is named twice or does not exist, or a member has named others. Leaving is
  /// destroying the handle; a member joins and leaves a group as often as the others, and when all local ones
  /// have left nothing of the group stays here, but its board may, for a later group of the same local
  /// members (spare_boards.h). Cost: about 1 us, and per rank named some nanoseconds.
  GroupHandle join(message::Endpoint& endpoint, message::Context context, std::span<const int> ranks);
  /// The caller's group of a scope of the job.
  GroupHandle join(message::Endpoint& endpoint, launch::Scope scope);

  /// How reports name the code of a reduction (see Reduction::code); before any member joins. The default
  /// takes the codes of find_reduction apart.
  using ReductionText = std::string (*)(std::uint32_t code);
  void name_reductions(ReductionText text);

  /// What was chosen for collectives between node processes, and why (network_choice.h, plain_forms.h), a
  /// line each.
  std::string choices() const;

  /// Groups that have members here.
  std::size_t count() const;

  /// Cores that this process may use.
  static int usable_cores() noexcept;

 private:
  message::Node& node_;
  const int cores_;
  std::shared_ptr<JobNetwork> network_;
  std::shared_ptr<ChoiceNotes> notes_;  ///< of what is chosen without a network
  std::shared_ptr<GroupRegistry> registry_;
};

}  // namespace taihu::collective
