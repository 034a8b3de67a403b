// SPDX-License-Identifier: Apache-2.0
// Which nodes of a network a job has, and in which order its members are on them: the usual ways of a
// scheduler.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taihu/topology/interconnect.h"

namespace taihu::model {

struct NetworkPlacement {
  std::string name;
  std::vector<int> nodes;  ///< member -> node, one member each
};

/// Twelve placements of `members`: contiguous, parts of groups, strided, in turns over groups, random, in
/// fragments, shuffled. The same seed gives the same ones. Throws Error when the network has not four nodes
/// for each member.
std::vector<NetworkPlacement> twelve_placements(const topology::Interconnect& network, int members,
                                                std::uint64_t seed = 1);

}  // namespace taihu::model
