// SPDX-License-Identifier: Apache-2.0
// Statistics of a run that are not user tallies: global tallies, their products, k and its combined estimate.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "taihu/neutron/tally/estimate.h"
#include "taihu/neutron/tally/tally.h"

namespace taihu::neutron {

/// Sums over the active generations.
struct Criticality {
  std::vector<double> k_generation, entropy;  ///< of every generation
  std::array<double, 4> sum{},
      sum_sq{};  ///< collision, absorption, track length, leakage; per source neutron
  double collision_absorption = 0, collision_track = 0, absorption_track = 0;  ///< sums of products
  int realizations = 0;
  double k_sum = 0, k_sum_sq = 0;  ///< of the active generations' k
  int active_generations = 0;

  void add_batch(const std::array<double, 4>& values);

  /// Mean of the active generations, or the last one while there are none.
  Estimate k() const noexcept;

  /// Least-squares combination of the three estimators of k. Falls back to the best single one where they are
  /// not independent enough or fewer than five realizations are there. Source: M. Halperin, JASA 56 (1961)
  /// 36; Urbatsch et al., LA-12658-MS (1995).
  Estimate combined() const noexcept;
};

}  // namespace taihu::neutron
