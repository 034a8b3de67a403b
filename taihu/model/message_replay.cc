// SPDX-License-Identifier: Apache-2.0
// The simulation of a trace; reading one is in message_trace.cc.
#include <algorithm>
#include <memory>

#include "taihu/base/error.h"
#include "taihu/model/message_trace.h"

namespace taihu::model {

using schedule::Place;
using schedule::Program;

schedule::Schedule MessageTrace::schedule() const {
  int rounds = 0;
  for (const Program& program : programs) rounds = std::max(rounds, program.next_round());
  const auto shared = std::make_shared<const std::vector<Program>>(programs);
  return {"trace",
          rounds,
          0,
          [shared](Place place, std::size_t, schedule::Rounds part) {
            const std::vector<schedule::Step>& all = (*shared)[static_cast<std::size_t>(place.me)].steps;
            const auto is_before = [](const schedule::Step& step, int round) { return step.round < round; };
            Program program;
            program.steps.assign(std::lower_bound(all.begin(), all.end(), part.first, is_before),
                                 std::lower_bound(all.begin(), all.end(), part.last, is_before));
            return program;
          },
          nullptr,
          0};
}

NetworkTime simulate_trace(const topology::Interconnect& network, const MessageTrace& trace, int per_node) {
  check_input(per_node >= 1, "there is no rank on a node");
  const int needed = (trace.ranks() + per_node - 1) / per_node;
  check_input(needed <= network.nodes(), "the trace needs " + std::to_string(needed) +
                                             " nodes, and the network has " +
                                             std::to_string(network.nodes()));
  std::vector<int> nodes;
  for (int rank = 0; rank < trace.ranks(); ++rank) nodes.push_back(rank / per_node);
  return simulate_network(network, nodes, trace.schedule());
}

}  // namespace taihu::model
