// SPDX-License-Identifier: Apache-2.0
// Messages that the ranks of a real program exchanged, in time on a network: what it would wait for them if
// it did nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taihu/model/network_simulation.h"

namespace taihu::model {

/// One program for each rank, in units of bytes. Collective calls are the forms that are taken without a
/// network (schedule/plain_choice.h).
struct MessageTrace {
  std::vector<schedule::Program> programs;

  int ranks() const noexcept { return static_cast<int>(programs.size()); }
  /// For the simulation.
  schedule::Schedule schedule() const;
};

/// Reads what parallel/recorded_communicator.h writes; `factor` multiplies the bytes of exchanges: those of a
/// problem with longer edges. Throws Error naming the line that is wrong.
MessageTrace parse_trace(std::string_view text, const std::string& file, double factor = 1);

/// Ranks on nodes 0, 1, ..., `per_node` on each; throws Error when the network has too few.
NetworkTime simulate_trace(const topology::Interconnect& network, const MessageTrace& trace, int per_node);

}  // namespace taihu::model
