// SPDX-License-Identifier: Apache-2.0
// Multi-group libraries in OpenMC's HDF5 format.
#pragma once

#include <string>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/neutron/material/multigroup_data.h"

namespace taihu::neutron {

struct MultigroupLibrary {
  std::vector<double> group_edges;  ///< eV, rising
  std::vector<MultigroupData> data;
};

/// The library has no entry of a name that was asked for.
class MissingEntry : public Error {
 public:
  MissingEntry(const std::string& path, const std::string& name)
      : Error(path + ": the library has no cross sections named \"" + name + "\""), name_(name) {}
  const std::string& name() const noexcept { return name_; }

 private:
  std::string name_;
};

/// Reads the entries `names` of the file at the temperature nearest to `temperature` [K]. Throws
/// MissingEntry, Error.
MultigroupLibrary read_multigroup_library(const std::string& path, const std::vector<std::string>& names,
                                          double temperature);

/// Writes a library that OpenMC reads, one temperature (294 K) for all entries. Throws Error.
void write_multigroup_library(const std::string& path, const MultigroupLibrary& library);

}  // namespace taihu::neutron
