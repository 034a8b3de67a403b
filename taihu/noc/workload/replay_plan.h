// SPDX-License-Identifier: Apache-2.0
// What a replay does with each call of a trace: which of them the network simulates, among whom, and in which
// order each rank makes them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "taihu/noc/collectives/operation.h"
#include "taihu/noc/workload/trace.h"

namespace taihu::noc {

/// Which collective of the routers does an MPI call; none for calls that stay in software.
std::optional<Collective> collective_of(const std::string& operation);

/// A call as it is simulated.
struct PlannedCall {
  std::optional<Collective> collective;  ///< none: members take the time that they took
  std::size_t communicator = 0;          ///< in ReplayPlan::communicators
  std::vector<int> place;                ///< of each member among those that take part, -1: it does not
  int taking = 0;                        ///< members that take part
  int root = 0;                          ///< among them
  std::size_t bytes = 0;
};

struct PlannedCommunicator {
  std::vector<int> job_ranks;
  std::size_t calls = 0;
};

struct CallOfRank {
  std::size_t call, member;
};

/// The data that runs with software and with routers share.
struct ReplayPlan {
  std::vector<PlannedCall> calls;
  std::vector<PlannedCommunicator> communicators;
  std::vector<std::size_t> by_use;               ///< communicators, those with most calls first
  std::map<int, std::vector<CallOfRank>> ranks;  ///< by rank in the job, in the order of their calls
  double begin_us = 0;
};

/// Of at least one call.
ReplayPlan make_replay_plan(const std::vector<TracedCall>& calls);

}  // namespace taihu::noc
