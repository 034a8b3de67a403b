// SPDX-License-Identifier: Apache-2.0
// Compares the plain network with BookSim 2 in configurations of many kinds, drawn at random from stored ones
// (booksim_sweep.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "taihu/noc/validation/validate.h"

namespace taihu::noc {

struct SweptCurve;

struct SweepRow {
  NetworkConfig network;
  TrafficConfig traffic;  ///< without load
  double saturation = 0, other_saturation = 0;
  std::vector<Comparison> compared;  ///< at 30, 60 and 70% of BookSim's saturation

  double saturation_deviation() const noexcept { return saturation / other_saturation - 1; }
  /// Everything is within the tolerances.
  bool agrees() const noexcept;
};

/// Latencies at the loads of a stored curve, without the search for the saturation.
SweepRow latencies_beside(const SweptCurve& curve);
/// How many there are to draw from.
int stored_configurations();
/// `count` of the stored configurations, or all, none twice. `progress` may be empty.
std::vector<SweepRow> validate_sweep(int count, std::uint64_t seed, const Progress& progress);
std::string to_text(const std::vector<SweepRow>& rows);

}  // namespace taihu::noc
