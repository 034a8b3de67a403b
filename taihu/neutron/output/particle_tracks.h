// SPDX-License-Identifier: Apache-2.0
// Files of tracks in OpenMC's format 3.0, which its Python class openmc.Tracks reads.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// Writes under a temporary name that is then replaced. Throws Error.
void write_tracks(const std::string& path, const Model& model, const std::vector<GenerationTracks>& tracks);

}  // namespace taihu::neutron
