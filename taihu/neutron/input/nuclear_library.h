// SPDX-License-Identifier: Apache-2.0
// Continuous-energy data for a model: finds the files of its nuclides in a library's cross_sections.xml,
// reads the temperatures that the model needs and makes the media.
#pragma once

#include <map>
#include <string>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// Files by name of nuclide or thermal table.
struct NuclearLibrary {
  std::string path;
  std::map<std::string, std::string> nuclides, thermals;
};

/// Throws Error with file and line.
NuclearLibrary read_cross_sections_xml(const std::string& path);

/// Fills in model.nuclear and the materials' atom densities. Throws Error.
void add_nuclear_data(Model& model, const NuclearLibrary& library);

}  // namespace taihu::neutron
