// SPDX-License-Identifier: Apache-2.0
// Files of collisions in OpenMC's format "collision_track" 1.0.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// Writes under a temporary name that is then replaced. Throws Error.
void write_collision_track(const std::string& path, const Model& model,
                           const std::vector<CollisionRecord>& collisions);

/// 10000 Z + 10 A + m of a nuclide by its name ("Am242_m1"); 0: not such a name.
int nuclide_number(const std::string& name);

}  // namespace taihu::neutron
