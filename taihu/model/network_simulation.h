// SPDX-License-Identifier: Apache-2.0
// The programs of taihu/schedule in time, on a network whose links are shared max-min fair. Members run on
// their own: there are no rounds in common but those that their messages make.
//
// A message whose receiver need not be ready (up to `eager_bytes`) sets out when it is sent; a longer one
// when both are ready. After the latency of its route its bytes flow, as fast as the links let them. What a
// member's processor does for messages, and copies, follow each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "taihu/schedule/alltoall_choice.h"

namespace taihu::model {

struct SimulationOptions {
  schedule::MessageCosts costs;
  /// Only these rounds; all members begin together.
  schedule::Rounds rounds;
  /// The member's time of beginning this round is noted as well.
  int marked_round = 0;
  /// Events so near to each other count as one: 0 is exact.
  double resolution_seconds = 0;
};

struct NetworkTime {
  double seconds = 0;  ///< until the last member has ended
  double mark = 0;     ///< until the last member has begun the marked round
  std::uint64_t messages = 0;
  double bytes = 0;
};

/// `nodes`: member -> node. Throws Error when members wait for each other for ever.
NetworkTime simulate_network(const topology::Interconnect& network, std::span<const int> nodes,
                             const schedule::Schedule& schedule, const SimulationOptions& options = {});

/// Time of the whole schedule from `stretches` of it, evenly spread, each of `rounds` rounds after a quarter
/// as many that are not counted, since there everybody begins at the same moment: the last member counts,
/// whom the others meet, and wait for, over many rounds. Never less than `least_seconds`. All of the schedule
/// when that is not more.
NetworkTime estimate_network(const topology::Interconnect& network, std::span<const int> nodes,
                             const schedule::Schedule& schedule, const SimulationOptions& options,
                             int stretches, int rounds);

}  // namespace taihu::model
