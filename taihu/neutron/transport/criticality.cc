// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/criticality.h"

#include <algorithm>
#include <cmath>

#include "taihu/neutron/tally/estimate.h"

namespace taihu::neutron {
namespace {

/// Of two estimators of the same, the first with `mean` and `variance` of one of `n` realizations: regresses
/// it on their difference, whose variance and covariance with the first are given.
Estimate regression(double mean, double variance, double other_mean, double of_difference, double covariance,
                    int n) noexcept {
  const double slope = covariance / of_difference, difference = other_mean - mean;
  const double residual = (variance - slope * covariance) * (n - 1) / (n - 2);
  const double squared = residual * (1.0 / n + difference * difference / of_difference / (n - 1));
  return {mean - slope * difference, std::sqrt(std::max(squared, 0.0))};
}

}  // namespace

void Criticality::add_batch(const std::array<double, 4>& values) {
  for (int i = 0; i < 4; ++i) {
    sum[i] += values[i];
    sum_sq[i] += values[i] * values[i];
  }
  collision_absorption += values[0] * values[1];
  collision_track += values[0] * values[2];
  absorption_track += values[1] * values[2];
  ++realizations;
}

Estimate Criticality::k() const noexcept {
  if (active_generations > 0) return estimate(k_sum, k_sum_sq, active_generations);
  return {k_generation.empty() ? 1 : k_generation.back(), infinity};
}

Estimate Criticality::combined() const noexcept {
  const int n = realizations;
  std::array<Estimate, 3> single;
  int best = 0;
  for (int i = 0; i < 3; ++i) {
    single[i] = estimate(sum[i], sum_sq[i], n);
    if (single[i].deviation < single[best].deviation) best = i;
  }
  if (n < 5 || !(single[best].deviation > 0)) return single[best];
  // Differences from the first estimator have expectation 0: regress on them.
  const double products[3][3] = {{sum_sq[0], collision_absorption, collision_track},
                                 {collision_absorption, sum_sq[1], absorption_track},
                                 {collision_track, absorption_track, sum_sq[2]}};
  double s[3][3];  // covariance of one realization
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) s[i][j] = (products[i][j] - sum[i] * sum[j] / n) / (n - 1);
  const auto difference = [&](int i, int j) { return s[i][j] - s[0][j] - s[i][0] + s[0][0]; };
  const double d11 = difference(1, 1), d12 = difference(1, 2), d22 = difference(2, 2);
  const double c1 = s[1][0] - s[0][0],
               c2 = s[2][0] - s[0][0];  // covariance of the first with the differences
  // In one medium, collisions and tracks of delta flights count the same: what is left of their difference is
  // rounding.
  const double rounding = 1e-12 * single[0].mean * single[0].mean;
  const bool is_second_same = d11 <= rounding, is_third_same = d22 <= rounding;
  if (is_second_same || is_third_same) {
    if (is_second_same && is_third_same) return single[best];
    return is_third_same ? regression(single[0].mean, s[0][0], single[1].mean, d11, c1, n)
                         : regression(single[0].mean, s[0][0], single[2].mean, d22, c2, n);
  }
  const double determinant = d11 * d22 - d12 * d12;
  if (!(determinant > 1e-10 * d11 * d22)) return single[best];
  const double b1 = (c1 * d22 - c2 * d12) / determinant, b2 = (c2 * d11 - c1 * d12) / determinant;
  const double m1 = single[1].mean - single[0].mean, m2 = single[2].mean - single[0].mean;
  const double residual = (s[0][0] - b1 * c1 - b2 * c2) * (n - 1) / (n - 3);
  const double spread = (m1 * m1 * d22 - 2 * m1 * m2 * d12 + m2 * m2 * d11) / determinant;
  const double variance = residual * (1.0 / n + spread / (n - 1));
  if (!(variance > 0)) return single[best];
  return {single[0].mean - b1 * m1 - b2 * m2, std::sqrt(variance)};
}

}  // namespace taihu::neutron
