// SPDX-License-Identifier: Apache-2.0
// Checks of the plain network: the zero-load law for every pair of nodes, the bound of the busiest link, and
// curves of latency over load.
#pragma once

#include <string>
#include <vector>

#include "taihu/noc/parallel/in_parallel.h"
#include "taihu/noc/traffic/traffic.h"

namespace taihu::noc {

/// Number of pairs of nodes between which a packet, alone in the network, takes another time than
/// zero_load_latency says; 0 when the law holds.
int zero_load_faults(const NetworkConfig& network, int flits);
/// Load at which the busiest link of a pattern would carry a flit in every cycle: no network can accept more.
/// Exact for all patterns (expected link loads over the routes).
double load_bound(const NetworkConfig& network, const TrafficConfig& traffic);

/// One load at which another simulator has been run (booksim_curves.h), its latency brought to our
/// interfaces.
struct Comparison {
  double load = 0, ours = 0, theirs = 0;
  double deviation() const noexcept { return ours / theirs - 1; }
};

struct ValidationRow {
  int size = 0;
  Pattern pattern = Pattern::uniform;
  double zero_load = 0, bound = 0, saturation = 0;
  double accepted_at_full_load = 0;
  std::vector<LoadPoint> points;
  // Comparison with BookSim, whose body flits leave a buffer in the cycle in which they are written
  // (`bypass`). Its routers find the port of a head when it is in front (RouteAt::front), or with lookahead
  // routing before it comes, which is RouteAt::write.
  double write_saturation = 0, lookahead_saturation = 0;  ///< ours, BookSim's
  double front_saturation = 0, other_saturation = 0;      ///< ours, BookSim's
  std::vector<Comparison> compared;                       ///< at 20, 40, 60 and 70% of the latter
  double write_deviation() const noexcept { return write_saturation / lookahead_saturation - 1; }
  double front_deviation() const noexcept { return front_saturation / other_saturation - 1; }
};

inline constexpr double latency_tolerance = 0.035, saturation_tolerance = 0.05;

struct Validation {
  int faults = 0;  ///< of the zero-load law
  std::vector<ValidationRow> rows;
  /// Latencies that are further from BookSim's than the tolerance.
  int deviations() const noexcept;
  /// Saturations that are further from BookSim's than the tolerance.
  int saturation_deviations() const noexcept;
};

/// How long BookSim runs in bench/noc/compare to tell whether a load is beyond saturation: the fewer nodes,
/// the longer.
MeasureConfig saturation_times(int size, bool quick) noexcept;

/// `sizes`: 4, 8, 16. `times` per point. With `quick` the search for saturations takes a fifth of the time
/// and finds them to a few percent only.
Validation validate(const NetworkConfig& network, const std::vector<int>& sizes, const MeasureConfig& times,
                    bool quick, const Progress& progress);
std::string to_text(const Validation& validation);
/// Writes latency.csv and latency_NxN.png into a folder.
void write_validation(const Validation& validation, const std::string& folder);

}  // namespace taihu::noc
