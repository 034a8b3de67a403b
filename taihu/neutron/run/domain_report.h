// SPDX-License-Identifier: Apache-2.0
// How evenly domains share out the work and the memory.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// A table with a line for each domain; empty without domains. Collective; the lines are the root's.
std::vector<std::string> domain_report(Simulation& simulation);

}  // namespace taihu::neutron
