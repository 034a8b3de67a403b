// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "taihu/neutron/tally/estimate.h"

namespace taihu::neutron {

/// Expects that both estimate the same: no bin is five deviations off, and of the bins with a deviation, more
/// than `least`, the mean square of the differences in deviations is below `most_square`.
inline void expect_same_expectations(const std::vector<Estimate>& a, const std::vector<Estimate>& b,
                                     int least, double most_square) {
  ASSERT_EQ(a.size(), b.size());
  double squares = 0;
  int compared = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double deviation = std::hypot(a[i].deviation, b[i].deviation);
    EXPECT_NEAR(a[i].mean, b[i].mean, 5 * deviation + 1e-9) << "bin " << i;
    if (!(deviation > 0)) continue;
    squares += std::pow((a[i].mean - b[i].mean) / deviation, 2);
    ++compared;
  }
  EXPECT_GT(compared, least);
  EXPECT_LT(squares, most_square * compared);
}

}  // namespace taihu::neutron
