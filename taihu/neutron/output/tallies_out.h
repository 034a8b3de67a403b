// SPDX-License-Identifier: Apache-2.0
// tallies.out: the tallies as text, in the manner of OpenMC.
#pragma once

#include <string>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// One rank, the root, calls. Throws Error when the file cannot be written.
void write_tallies_out(const Simulation& simulation, const std::string& path);

}  // namespace taihu::neutron
