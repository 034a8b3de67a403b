// SPDX-License-Identifier: Apache-2.0
// How a run goes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taihu/neutron/source/source.h"
#include "taihu/neutron/tally/mesh.h"

namespace taihu::neutron {

enum class RunMode { eigenvalue, fixed_source };
enum class Tracking { automatic, surface, delta };

struct Settings {
  std::string place;  ///< "file:line:column: " of the run mode, for messages; empty: not from a file
  RunMode mode = RunMode::eigenvalue;
  Tracking tracking = Tracking::automatic;
  std::int64_t particles = 0;  ///< per generation
  int batches = 0, inactive = 0, generations_per_batch = 1;
  std::uint64_t seed = 1;
  std::vector<Source> sources;
  bool survival_biasing = false;
  double weight_cutoff = 0.25, weight_after_roulette = 1;
  bool create_fission_neutrons = true;
  int max_lost_particles = 10;
  double max_lost_fraction = 1e-6;
  std::int64_t max_events = 1000000;  ///< per neutron
  bool has_entropy_mesh = false;
  RegularMesh entropy_mesh;
  std::vector<int> statepoint_batches;  ///< besides the last one
  bool write_source = true, write_summary = true, write_tallies = true;
  std::string output_path;
  int scattering_points = 33;
  // Continuous energy.
  bool continuous = false;
  double temperature_default = 293.6, temperature_tolerance = 10;  ///< K
  bool interpolate_temperature = false;
  bool probability_tables = true;
};

}  // namespace taihu::neutron
