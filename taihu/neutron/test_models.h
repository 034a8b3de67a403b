// SPDX-License-Identifier: Apache-2.0
// Small models for tests, written as users write them and read by the reader of the program.
#pragma once

#include <string>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// A folder that is removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }
  void write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

/// Text of a model with the given geometry, settings and tallies, materials 1 "fuel" and 2 "water" of
/// library.json.
std::string model_text(const std::string& geometry, const std::string& settings,
                       const std::string& tallies = "");

/// Two groups: a fissile "fuel" and a scattering "water" with P1 angles.
std::string library_text();

/// Geometries by name: "rectangular", "hexagonal" (3-D, orientation x in y), "rotated", "boolean"; all in a
/// reflective box of +-3 cm.
std::string geometry_text(const std::string& name);

/// Settings of a short eigenvalue run.
std::string settings_text(int particles = 500, int batches = 6, int inactive = 2);

/// Model read from these texts.
Model test_model(const std::string& geometry, const std::string& settings = settings_text(),
                 const std::string& tallies = "");
Model model_from_text(const std::string& model);

}  // namespace taihu::neutron
