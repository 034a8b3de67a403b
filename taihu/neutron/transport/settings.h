// SPDX-License-Identifier: Apache-2.0
// How a run goes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taihu/neutron/source/collision_bank.h"
#include "taihu/neutron/source/particle_track.h"
#include "taihu/neutron/source/source.h"
#include "taihu/neutron/source/surface_bank.h"
#include "taihu/neutron/tally/tally.h"
#include "taihu/neutron/transport/weight_windows.h"

namespace taihu::neutron {

enum class RunMode { eigenvalue, fixed_source };
/// hybrid: each flight is of the kind that is cheaper where it begins (flight_choice.h).
enum class Tracking { automatic, surface, delta, hybrid };
constexpr const char* name_of(Tracking tracking) noexcept {
  constexpr const char* names[] = {"automatic", "surface", "delta", "hybrid"};
  return names[static_cast<int>(tracking)];
}

struct Settings {
  std::string place;  ///< "file:line:column: " of the run mode, for messages; empty: not from a file
  RunMode mode = RunMode::eigenvalue;
  Tracking tracking = Tracking::automatic;
  std::int64_t particles = 0;  ///< per generation
  int batches = 0, inactive = 0, generations_per_batch = 1;
  bool triggers = false;  ///< the run goes on after `batches` until all are met, at most to `most_batches`
  int most_batches = 0, trigger_interval = 1;
  std::vector<Trigger> k_triggers;  ///< of the combined k

  int last_batch() const noexcept { return triggers ? most_batches : batches; }
  std::uint64_t seed = 1;
  std::vector<Source> sources;
  bool survival_biasing = false;
  double weight_cutoff = 0.25, weight_after_roulette = 1;
  WeightWindows weight_windows;
  Energy energy_cutoff;           ///< neutrons below are given up
  double time_cutoff = infinity;  ///< s: neutrons later than this are given up
  bool create_fission_neutrons = true;
  int max_lost_particles = 10;
  double max_lost_fraction = 1e-6;
  std::int64_t max_events = 1000000;  ///< per neutron
  bool has_uniform_mesh = false;      ///< fission neutrons are spread evenly over its cells, with weights
  Mesh uniform_mesh;
  bool has_entropy_mesh = false;
  Mesh entropy_mesh;
  bool fission_matrix = false;          ///< inactive generations are accelerated, on the entropy mesh
  std::vector<int> statepoint_batches;  ///< besides the last one
  bool write_source = true, write_summary = true, write_tallies = true;
  std::vector<int> source_batches;   ///< after which the source is written into a file of its own
  bool write_latest_source = false;  ///< into one file, after each batch
  bool mcpl_source = false;          ///< these files are in MCPL format
  SurfaceBanking surface_banking;
  CollisionTracking collision_tracking;
  std::vector<TrackedHistory> tracked;
  std::string output_path;
  bool confidence_intervals = false;  ///< text has half widths of 95 % intervals instead of deviations
  int max_order = 1000;               ///< of the Legendre moments of scattering, multi-group
  int scattering_points = 33;
  // Continuous energy.
  bool continuous = false;
  double temperature_default = 293.6, temperature_tolerance = 10;  ///< K
  bool interpolate_temperature = false;
  bool probability_tables = true;
  struct Resonances {
    bool wanted = false;  ///< elastic scattering looks at the resonances that moving nuclei meet
    Energy least{0.01}, most{1000};
    std::vector<std::string> nuclides;  ///< empty: all with data at 0 K
  } resonances;
  bool for_pictures = false;  ///< run mode plot: there is nothing to run
};

}  // namespace taihu::neutron
