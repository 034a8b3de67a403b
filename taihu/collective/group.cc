// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/group.h"

#include <sched.h>

#include <algorithm>
#include <list>
#include <map>
#include <new>
#include <numeric>
#include <thread>

#include "taihu/base/contract.h"
#include "taihu/base/error.h"
#include "taihu/collective/board.h"
#include "taihu/collective/choice.h"
#include "taihu/collective/network_choice.h"
#include "taihu/collective/operations.h"
#include "taihu/collective/plain_forms.h"
#include "taihu/collective/spare_boards.h"
#include "taihu/message/locks/spin_lock.h"

namespace taihu::collective {

namespace {

void check_ranks(const launch::Layout& layout, std::span<const int> ranks) {
  check_input(!ranks.empty(), "a group has no member; name at least the calling rank");
  std::vector<bool> is_named(static_cast<std::size_t>(layout.ranks));
  for (const int rank : ranks) {
    check_input(rank >= 0 && rank < layout.ranks,
                "a group names a rank outside 0 .. " + std::to_string(layout.ranks - 1));
    check_input(!is_named[static_cast<std::size_t>(rank)],
                "a rank is named twice in a group; name each member once");
    is_named[static_cast<std::size_t>(rank)] = true;
  }
}

/// Whether one member only is of this node process.
bool is_alone(const message::Node& node, std::span<const int> ranks) {
  const launch::Layout& layout = node.layout();
  const auto is_here = [&](int rank) {
    return rank >= 0 && rank < layout.ranks && layout.process_of(rank) == node.process();
  };
  const auto first = std::ranges::find_if(ranks, is_here);
  return first != ranks.end() && std::find_if(first + 1, ranks.end(), is_here) == ranks.end();
}

std::vector<threads::Doorbell*> local_doorbells(message::Node& node, const Membership& membership) {
  const int first = node.layout().first_rank[static_cast<std::size_t>(node.process())];
  std::vector<threads::Doorbell*> doorbells;
  doorbells.reserve(membership.local().size());
  for (const int member : membership.local()) {
    const int rank = membership.ranks[static_cast<std::size_t>(member)];
    doorbells.push_back(&node.endpoint(rank - first).doorbell());
  }
  return doorbells;
}

}  // namespace

/// The groups of a node process by context and first rank: those of one context have no rank in common. A
/// group stays while it has handles, and while members have joined it unequally often: one that is late must
/// find what the others did, even when they have left again.
///
/// Those with one member here are not among them, since nobody else looks for them: a rank makes and leaves
/// them without waiting for another one, and keeps a spare board of its own.
class GroupRegistry {
 public:
  explicit GroupRegistry(int ranks)
      : spare_boards_(boards_of_rank * static_cast<std::size_t>(ranks)),
        spare_boards_alone_(static_cast<std::size_t>(ranks)) {}
  ~GroupRegistry() {
    for (std::atomic<Board*>& spare : spare_boards_alone_) delete spare.load();
  }
  GroupRegistry(const GroupRegistry&) = delete;
  GroupRegistry& operator=(const GroupRegistry&) = delete;

  GroupHandle::State join(std::shared_ptr<GroupRegistry> self, message::Node& node, message::Context context,
                          std::span<const int> ranks, int member, bool crowded,
                          const std::shared_ptr<JobNetwork>& network,
                          const std::shared_ptr<ChoiceNotes>& notes) {
    const auto make_state = [&] {
      check_ranks(node.layout(), ranks);
      return std::make_unique<GroupState>(*this, node, context, ranks, crowded, network, notes);
    };
    if (is_alone(node, ranks)) {
      GroupHandle::State alone(make_state().release(), LeaveGroup{std::move(self)});
      ++groups_alone_;
      return alone;
    }
    const Key key(context, ranks.front());
    std::unique_ptr<GroupState> made;
    std::unique_lock lock(lock_);
    auto entry = groups_.find(key);
    if (entry == groups_.end()) {
      // Made without the lock, for which members who come together would fall asleep. One of them is taken.
      lock.unlock();
      made = make_state();
      lock.lock();
      entry = groups_.try_emplace(key, std::move(made)).first;
    }
    GroupState& state = *entry->second;
    check_input(std::ranges::equal(state.membership.ranks, ranks),
                "a rank joins a group with another list of members than those who joined before");
    note_join(state,
              static_cast<std::size_t>(state.membership.local_index[static_cast<std::size_t>(member)]));
    return GroupHandle::State(&state, LeaveGroup{std::move(self)});
  }

  void leave(GroupState& state) noexcept {
    if (state.is_alone()) return leave_alone(state);
    // These end without the lock.
    std::unique_ptr<GroupState> last;
    std::list<std::unique_ptr<Board>> gone;
    const std::scoped_lock lock(lock_);
    if (--state.handles_ != 0 || state.members_with_most_ != state.joins_.size()) return;
    const auto entry = groups_.find(Key(state.context, state.membership.ranks.front()));
    last = std::move(entry->second);
    groups_.erase(entry);
    if (!last->board_) return;
    try {
      spare_boards_.keep(last->board_, gone);
    } catch (const std::bad_alloc&) {
      // It ends with the group.
    }
  }

  /// One that groups of the same members have left; null when there is none.
  std::unique_ptr<Board> take_spare_board(const GroupState& state,
                                          const std::vector<threads::Doorbell*>& doorbells,
                                          bool crowded) noexcept {
    if (state.is_alone()) {
      std::atomic<Board*>* const place = spare_place_of(state);
      std::unique_ptr<Board> spare(place != nullptr ? place->exchange(nullptr) : nullptr);
      if (spare && !spare->is_of(doorbells, crowded)) spare.reset();
      return spare;
    }
    const std::scoped_lock lock(lock_);
    return spare_boards_.take(doorbells, crowded);
  }

  std::size_t count() {
    const std::scoped_lock lock(lock_);
    return groups_.size() + groups_alone_;
  }

  Groups::ReductionText reduction_text = collective::reduction_text;

 private:
  using Key = std::pair<message::Context, int>;

  static void note_join(GroupState& state, std::size_t local) {
    ++state.handles_;
    const std::uint32_t joins = ++state.joins_[local];
    if (joins > state.most_joins_) {
      state.most_joins_ = joins;
      state.members_with_most_ = 0;
    }
    if (joins == state.most_joins_) ++state.members_with_most_;
  }

  void leave_alone(GroupState& state) noexcept {
    const std::unique_ptr<GroupState> last(&state);
    --groups_alone_;
    std::atomic<Board*>* const place = spare_place_of(state);
    if (!last->board_ || place == nullptr) return;
    last->board_->forget_group();
    last->board_.reset(place->exchange(last->board_.release()));
  }

  /// Where the one local member of a group keeps its spare board; null for ranks that came later.
  std::atomic<Board*>* spare_place_of(const GroupState& state) noexcept {
    const Membership& membership = state.membership;
    const int rank = membership.ranks[static_cast<std::size_t>(membership.local().front())];
    const launch::Layout& layout = state.node_.layout();
    const auto place =
        static_cast<std::size_t>(rank - layout.first_rank[static_cast<std::size_t>(state.node_.process())]);
    return place < spare_boards_alone_.size() ? &spare_boards_alone_[place] : nullptr;
  }

  /// Spare ones that a rank is a member of, on average.
  static constexpr std::size_t boards_of_rank = 2;

  message::SpinLock lock_;  ///< held for less than a microsecond
  std::map<Key, std::unique_ptr<GroupState>> groups_;
  SpareBoards spare_boards_;
  std::vector<std::atomic<Board*>> spare_boards_alone_;  ///< of local ranks
  std::atomic<std::size_t> groups_alone_{0};
};

void LeaveGroup::operator()(GroupState* state) const noexcept {
  registry->leave(*state);
}

GroupState::GroupState(GroupRegistry& registry, message::Node& node, message::Context context_of_group,
                       std::span<const int> ranks, bool crowded, const std::shared_ptr<JobNetwork>& network,
                       const std::shared_ptr<ChoiceNotes>& notes)
    : membership(make_membership(node.layout(), node.process(), ranks)),
      context(context_of_group),
      registry_(registry),
      node_(node),
      crowded_(crowded),
      notes_(notes),
      joins_(membership.local().size()) {
  if (network == nullptr) return;
  alltoall_forms_ =
      std::make_unique<AlltoallForms>(network, network->nodes_of(node.layout(), membership.ranks));
  std::vector<int> leaders;
  for (const std::vector<int>& members : membership.members_of)
    leaders.push_back(membership.ranks[static_cast<std::size_t>(members.front())]);
  leader_forms_ =
      std::make_unique<LeaderForms>(network, network->nodes_of(node.layout(), leaders), membership.members());
}

GroupState::~GroupState() = default;

Board& GroupState::board() {
  std::call_once(board_is_made_, [this] {
    std::vector<threads::Doorbell*> doorbells = local_doorbells(node_, membership);
    board_ = registry_.take_spare_board(*this, doorbells, crowded_);
    if (!board_) board_ = std::make_unique<Board>(std::move(doorbells), crowded_);
  });
  return *board_;
}

PlainForms& GroupState::plain_forms() {
  std::call_once(plain_forms_are_made_, [this] {
    plain_forms_ = std::make_unique<PlainForms>(membership.processes(), membership.members(), notes_);
  });
  return *plain_forms_;
}

PlainForms& GroupState::background_forms() {
  std::call_once(background_forms_are_made_,
                 [this] { background_forms_ = std::make_unique<PlainForms>(membership.members(), notes_); });
  return *background_forms_;
}

GroupHandle::GroupHandle(State state, message::Endpoint& endpoint, int member)
    : state_(std::move(state)),
      endpoint_(&endpoint),
      size_(state_->membership.members()),
      local_members_(static_cast<int>(state_->membership.local().size())),
      member_(member),
      local_index_(state_->membership.local_index[static_cast<std::size_t>(member)]) {
  expect(state_->membership.ranks[static_cast<std::size_t>(member)] == endpoint.rank(),
         "rank of the member == rank of its endpoint");
}

int GroupHandle::global_rank(int member) const noexcept {
  if (member < 0 || member >= size()) return -1;
  return state_->membership.ranks[static_cast<std::size_t>(member)];
}

std::string GroupHandle::reduction_text(std::uint32_t code) const {
  return state_.get_deleter().registry->reduction_text(code);
}

Groups::Groups(message::Node& node, int cores) : Groups(node, cores, network_of_job(node.layout())) {}

Groups::Groups(message::Node& node, int cores, std::shared_ptr<JobNetwork> network)
    : node_(node),
      cores_(cores),
      network_(std::move(network)),
      notes_(std::make_shared<ChoiceNotes>()),
      registry_(std::make_shared<GroupRegistry>(node.local_ranks())) {
  long_bytes();  // a wrong one is told now
}

GroupHandle Groups::join(message::Endpoint& endpoint, message::Context context, std::span<const int> ranks) {
  const auto mine = std::find(ranks.begin(), ranks.end(), endpoint.rank());
  check_input(mine != ranks.end(),
              "rank " + std::to_string(endpoint.rank()) + " joins a group that does not name it");
  const int member = static_cast<int>(mine - ranks.begin());
  return GroupHandle(registry_->join(registry_, node_, context, ranks, member, node_.local_ranks() > cores_,
                                     network_, notes_),
                     endpoint, member);
}

GroupHandle Groups::join(message::Endpoint& endpoint, launch::Scope scope) {
  const launch::Layout& layout = node_.layout();
  std::vector<int> ranks(static_cast<std::size_t>(layout.size(scope)));
  std::iota(ranks.begin(), ranks.end(), layout.group_start(scope, endpoint.rank()));
  return join(endpoint, message::collective_context + static_cast<message::Context>(scope), ranks);
}

void Groups::name_reductions(ReductionText text) {
  expect(text != nullptr, "reductions have names");
  registry_->reduction_text = text;
}

std::string Groups::choices() const {
  return (network_ == nullptr ? std::string() : network_->choices().text()) + notes_->text();
}

std::size_t Groups::count() const {
  return registry_->count();
}

int Groups::usable_cores() noexcept {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace taihu::collective
