// SPDX-License-Identifier: Apache-2.0
// Reads nuclides and thermal tables of OpenMC's HDF5 libraries, format versions 1 to 3.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "taihu/neutron/nuclide/nuclide_data.h"
#include "taihu/neutron/nuclide/thermal_table.h"

namespace taihu::neutron {

/// Gets the temperatures [kT in eV] of a file and returns the indices of those to read.
using ChooseTemperatures = std::function<std::vector<std::size_t>(const std::vector<double>&)>;

/// Both throw Error with file and object. `tallied`: MT of reactions to be read for tallies, where the file
/// has them.
std::unique_ptr<NuclideData> read_nuclide_hdf5(const std::string& path, const std::string& name,
                                               const ChooseTemperatures& choose,
                                               std::span<const int> tallied = {});
std::unique_ptr<ThermalTable> read_thermal_hdf5(const std::string& path, const std::string& name,
                                                const ChooseTemperatures& choose);

/// Adds elastic scattering at 0 K. False: the file has none. Throws Error.
bool read_cold_elastic_hdf5(const std::string& path, NuclideData& data);

}  // namespace taihu::neutron
