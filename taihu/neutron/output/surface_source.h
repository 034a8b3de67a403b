// SPDX-License-Identifier: Apache-2.0
// Files of neutrons that passed surfaces: OpenMC's source files, or MCPL.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// Writes under a temporary name that is then replaced. Throws Error.
void write_surface_source(const std::string& path, const Model& model, const std::vector<Passage>& passages);

}  // namespace taihu::neutron
