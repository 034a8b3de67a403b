// SPDX-License-Identifier: Apache-2.0
// How much memory a run has needed, and how evenly domains share out the work and the memory.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// What the rank with the most bins and the largest process have in memory. Ranks that are threads of one
/// process share its memory. Collective.
std::string memory_report(Simulation& simulation);

/// A table with a line for each domain; empty without domains. Collective; the lines are the root's.
std::vector<std::string> domain_report(Simulation& simulation);

}  // namespace taihu::neutron
