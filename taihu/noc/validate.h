// SPDX-License-Identifier: Apache-2.0
// The plain network against what must hold: the zero-load law for every pair of nodes, the bound of the
// busiest link, and curves of latency over load.
#pragma once

#include <string>
#include <vector>

#include "taihu/noc/run.h"

namespace taihu::noc {

/// Pairs of nodes whose packet, alone in the network, does not take what zero_load_latency says; 0 when the
/// law holds.
int zero_load_faults(const NetworkConfig& network, int flits);
/// Load at which the busiest link of a pattern would carry a flit in every cycle: no network can accept more.
/// Exact for all patterns (expected link loads over the routes).
double load_bound(const NetworkConfig& network, const TrafficConfig& traffic);

struct ValidationRow {
  int size = 0;
  Pattern pattern = Pattern::uniform;
  double zero_load = 0, bound = 0, saturation = 0;
  double accepted_at_full_load = 0;
  std::vector<LoadPoint> points;
};

struct Validation {
  int faults = 0;  ///< of the zero-load law
  std::vector<ValidationRow> rows;
};

/// `sizes`: 4, 8, 16. `times` per point.
Validation validate(const NetworkConfig& network, const std::vector<int>& sizes, const MeasureConfig& times,
                    const Progress& progress);
std::string to_text(const Validation& validation);
/// Writes latency.csv and latency_NxN.png into a folder.
void write_validation(const Validation& validation, const std::string& folder);

}  // namespace taihu::noc
