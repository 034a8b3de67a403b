// SPDX-License-Identifier: Apache-2.0
// Reads a model in OpenMC's XML format: model.xml, or geometry.xml, materials.xml, settings.xml and, if there
// is one, tallies.xml; and the multi-group library that the materials name.
//
// Nothing is passed over in silence: what is not supported is refused with file and line.
#pragma once

#include <string>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// Reads the model of a folder, or of a model.xml given by name. Throws Error.
Model read_model(const std::string& folder_or_file);

}  // namespace taihu::neutron
