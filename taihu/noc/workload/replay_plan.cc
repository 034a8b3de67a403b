// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/workload/replay_plan.h"

#include <algorithm>
#include <utility>

namespace taihu::noc {
namespace {

/// Calls whose members together move more than this take as long as in the trace: the routers do not help
/// there.
constexpr std::size_t most_simulated_bytes = 65536;

/// Who takes part: of a rooted call on an intercommunicator the root and the group opposite.
std::vector<int> taking_part(const TracedCall& call) {
  std::vector<int> members;
  for (std::size_t at = 0; at < call.members.size(); ++at) {
    const bool is_root = static_cast<int>(at) == call.root;
    const bool beside_root = call.inter && call.root >= 0 &&
                             call.members[at].side == call.members[static_cast<std::size_t>(call.root)].side;
    if (is_root || !beside_root) members.push_back(static_cast<int>(at));
  }
  return members;
}

}  // namespace

std::optional<Collective> collective_of(const std::string& operation) {
  static const std::map<std::string, Collective> known = {
      {"MPI_Barrier", Collective::barrier},     {"MPI_Ibarrier", Collective::barrier},
      {"MPI_Bcast", Collective::broadcast},     {"MPI_Ibcast", Collective::broadcast},
      {"MPI_Reduce", Collective::reduce},       {"MPI_Ireduce", Collective::reduce},
      {"MPI_Allreduce", Collective::allreduce}, {"MPI_Iallreduce", Collective::allreduce},
      {"MPI_Gather", Collective::gather},       {"MPI_Igather", Collective::gather}};
  // With large counts it is the same collective.
  const auto found = known.find(operation.substr(0, operation.size() - (operation.ends_with("_c") ? 2 : 0)));
  if (found == known.end()) return std::nullopt;
  return found->second;
}

ReplayPlan make_replay_plan(const std::vector<TracedCall>& calls) {
  ReplayPlan plan;
  plan.begin_us = calls.front().members.front().begin_us;
  std::map<std::pair<int, int>, std::size_t> known;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    const TracedCall& call = calls[at];
    PlannedCall planned;
    for (std::size_t member = 0; member < call.members.size(); ++member) {
      plan.ranks[call.members[member].job_rank].push_back({at, member});
      plan.begin_us = std::min(plan.begin_us, call.members[member].begin_us);
    }
    const std::vector<int> taking = taking_part(call);
    planned.collective = collective_of(call.operation);
    planned.bytes = planned.collective == Collective::barrier ? 0 : call.bytes();
    if (planned.collective == Collective::reduce || planned.collective == Collective::allreduce)
      planned.bytes = (planned.bytes + 7) / 8 * 8;
    const bool has_root =
        planned.collective != Collective::barrier && planned.collective != Collective::allreduce;
    const bool moves_nothing = planned.collective != Collective::barrier && planned.bytes == 0;
    if (taking.size() < 2 || moves_nothing || planned.bytes > most_simulated_bytes / taking.size() ||
        (has_root && call.root < 0))
      planned.collective.reset();
    planned.taking = static_cast<int>(taking.size());
    planned.place.assign(call.members.size(), -1);
    PlannedCommunicator communicator;
    for (std::size_t place = 0; place < taking.size(); ++place) {
      planned.place[static_cast<std::size_t>(taking[place])] = static_cast<int>(place);
      communicator.job_ranks.push_back(call.members[static_cast<std::size_t>(taking[place])].job_rank);
    }
    planned.root = call.root < 0 ? 0 : planned.place[static_cast<std::size_t>(call.root)];
    if (planned.collective) {
      const std::pair key(call.communicator, call.inter ? call.root : -1);
      const auto [found, made] = known.try_emplace(key, plan.communicators.size());
      if (made) plan.communicators.push_back(communicator);
      planned.communicator = found->second;
      ++plan.communicators[planned.communicator].calls;
    }
    plan.calls.push_back(planned);
  }
  for (auto& [rank, own] : plan.ranks)
    std::stable_sort(own.begin(), own.end(), [&](const CallOfRank& left, const CallOfRank& right) {
      return calls[left.call].members[left.member].begin_us <
             calls[right.call].members[right.member].begin_us;
    });
  for (std::size_t at = 0; at < plan.communicators.size(); ++at) plan.by_use.push_back(at);
  std::stable_sort(plan.by_use.begin(), plan.by_use.end(), [&](std::size_t left, std::size_t right) {
    return plan.communicators[left].calls > plan.communicators[right].calls;
  });
  return plan;
}

}  // namespace taihu::noc
