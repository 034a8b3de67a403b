// SPDX-License-Identifier: Apache-2.0
// summary.h5 in OpenMC's format 6.1: geometry and materials of a model.
#pragma once

#include <string>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// Writes under a temporary name and renames. One rank calls. Throws Error.
void write_summary(const Model& model, const std::string& path);

}  // namespace taihu::neutron
