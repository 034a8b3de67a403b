// SPDX-License-Identifier: Apache-2.0
// Functions and distributions as OpenMC's HDF5 libraries store them ("Nuclear Data File Formats" of its
// documentation). All throw Error with file and object.
#pragma once

#include <string>

#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/nuclide/laws.h"

namespace taihu::neutron {

Function1d read_function(const Hdf5File& file, const std::string& place);
AngleTable read_angle_table(const Hdf5File& file, const std::string& place);
EnergyTable read_energy_table(const Hdf5File& file, const std::string& place, const std::string& dataset,
                              std::vector<double>& rows);
std::unique_ptr<AngleEnergyLaw> read_angle_energy_law(const Hdf5File& file, const std::string& place);

/// An offset that an array of numbers holds; fails when it cannot be one.
std::size_t offset_from(const Hdf5File& file, const std::string& place, double value);

/// A table of distributions per incident energy, the part of row `row` that belongs to table `table`.
std::vector<double> row_part(const std::vector<double>& rows, std::size_t columns, std::size_t row,
                             std::size_t first, std::size_t last);

}  // namespace taihu::neutron
