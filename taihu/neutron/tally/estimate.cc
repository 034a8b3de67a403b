// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/estimate.h"

#include <cmath>
#include <limits>

namespace taihu::neutron {

// For n - 1 from 3 on: expansion in the quantile of the normal distribution, M. Abramowitz, I.
// Stegun, 26.7.5.
double confidence_factor(int n) noexcept {
  const double degrees = n - 1;
  if (n < 2) return 1;
  if (n == 2) return 12.706204736;
  if (n == 3) return 4.302652730;
  constexpr double z = 1.959963985, z2 = z * z;
  const double g[] = {(z2 + 1) * z / 4, ((5 * z2 + 16) * z2 + 3) * z / 96,
                      (((3 * z2 + 19) * z2 + 17) * z2 - 15) * z / 384,
                      ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) * z / 92160};
  return z + (g[0] + (g[1] + (g[2] + g[3] / degrees) / degrees) / degrees) / degrees;
}

Estimate estimate(double sum, double sum_sq, int n) noexcept {
  if (n < 1) return {0, std::numeric_limits<double>::infinity()};
  const double mean = sum / n;
  if (n < 2) return {mean, std::numeric_limits<double>::infinity()};
  return {mean, std::sqrt(std::fmax(0.0, (sum_sq / n - mean * mean) / (n - 1)))};
}

}  // namespace taihu::neutron
