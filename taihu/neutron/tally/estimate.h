// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace taihu::neutron {

/// A mean and its standard deviation.
struct Estimate {
  double mean = 0, deviation = 0;
};

/// Half width of the 95 % confidence interval of a mean of `n` realizations over its standard deviation: the
/// 97.5 % quantile of Student's distribution. 1 for n < 2.
double confidence_factor(int n) noexcept;

/// Mean and its standard deviation of `n` realizations. Deviation is infinite for n < 2.
Estimate estimate(double sum, double sum_sq, int n) noexcept;

}  // namespace taihu::neutron
