// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/group.h"

#include <sched.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <thread>

#include "taihu/base/error.h"

namespace taihu::collective {

namespace {

void check_ranks(const launch::Layout& layout, std::span<const int> ranks) {
  std::vector<int> sorted(ranks.begin(), ranks.end());
  std::sort(sorted.begin(), sorted.end());
  check_input(!sorted.empty(), "a group has no member; name at least the calling rank");
  check_input(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
              "a rank is named twice in a group; name each member once");
  check_input(sorted.front() >= 0 && sorted.back() < layout.ranks,
              "a group names a rank outside 0 .. " + std::to_string(layout.ranks - 1));
}

std::vector<threads::Doorbell*> local_doorbells(message::Node& node, const Membership& membership) {
  const int first = node.layout().first_rank[static_cast<std::size_t>(node.process())];
  std::vector<threads::Doorbell*> doorbells;
  for (const int member : membership.local()) {
    const int rank = membership.ranks[static_cast<std::size_t>(member)];
    doorbells.push_back(&node.endpoint(rank - first).doorbell());
  }
  return doorbells;
}

}  // namespace

Membership make_membership(const launch::Layout& layout, int this_process, std::span<const int> ranks) {
  Membership membership;
  membership.ranks.assign(ranks.begin(), ranks.end());
  std::map<int, int> index_of_process;
  int previous = -1;
  for (int member = 0; member < membership.members(); ++member) {
    const int process = layout.process_of(ranks[static_cast<std::size_t>(member)]);
    const auto [entry, is_new] = index_of_process.try_emplace(process, membership.processes());
    const int index = entry->second;
    if (is_new) membership.members_of.emplace_back();
    if (process == this_process) membership.here = index;
    if (index < previous) membership.consecutive = false;
    previous = index;
    std::vector<int>& neighbours = membership.members_of[static_cast<std::size_t>(index)];
    membership.process.push_back(index);
    membership.local_index.push_back(static_cast<int>(neighbours.size()));
    neighbours.push_back(member);
  }
  return membership;
}

GroupState::GroupState(message::Node& node, message::Context context_of_group, std::span<const int> ranks,
                       bool crowded)
    : membership(make_membership(node.layout(), node.process(), ranks)),
      context(context_of_group),
      board(local_doorbells(node, membership), crowded),
      joins(membership.local().size()) {}

GroupHandle::GroupHandle(std::shared_ptr<GroupState> state, message::Endpoint& endpoint, int member)
    : state_(std::move(state)),
      endpoint_(&endpoint),
      member_(member),
      local_index_(state_->membership.local_index[static_cast<std::size_t>(member)]),
      step_(state_->board.arrivals.last(local_index_)) {}

int GroupHandle::global_rank(int member) const noexcept {
  if (member < 0 || member >= size()) return -1;
  return state_->membership.ranks[static_cast<std::size_t>(member)];
}

Groups::Groups(message::Node& node, int cores) : node_(node), crowded_(node.local_ranks() > cores) {}

GroupHandle Groups::join(message::Endpoint& endpoint, message::Context context, std::span<const int> ranks) {
  check_ranks(node_.layout(), ranks);
  const auto mine = std::find(ranks.begin(), ranks.end(), endpoint.rank());
  check_input(mine != ranks.end(),
              "rank " + std::to_string(endpoint.rank()) + " joins a group that does not name it");
  const int member = static_cast<int>(mine - ranks.begin());
  const std::scoped_lock lock(mutex_);
  std::erase_if(entries_, [](const auto& item) { return item.second.state.expired(); });
  Entry& entry = entries_[Key(context, {ranks.begin(), ranks.end()})];
  std::shared_ptr<GroupState> state = entry.state.lock();
  if (!state) entry.state = state = std::make_shared<GroupState>(node_, context, ranks, crowded_);
  ++state->joins[static_cast<std::size_t>(state->membership.local_index[static_cast<std::size_t>(member)])];
  const bool even = std::adjacent_find(state->joins.begin(), state->joins.end(), std::not_equal_to<>()) ==
                    state->joins.end();
  entry.kept = even ? nullptr : state;
  return GroupHandle(std::move(state), endpoint, member);
}

GroupHandle Groups::join(message::Endpoint& endpoint, launch::Scope scope) {
  const launch::Layout& layout = node_.layout();
  std::vector<int> ranks(static_cast<std::size_t>(layout.size(scope)));
  std::iota(ranks.begin(), ranks.end(), layout.group_start(scope, endpoint.rank()));
  return join(endpoint, message::collective_context + static_cast<message::Context>(scope), ranks);
}

int Groups::usable_cores() noexcept {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace taihu::collective
