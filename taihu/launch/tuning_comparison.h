// SPDX-License-Identifier: Apache-2.0
// Whether another value of a size is better than the present one, from times that were measured in turns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "taihu/base/contract.h"

namespace taihu::launch {

/// Seconds for each length of data, of one job with each value.
struct TimedPair {
  std::vector<double> present;
  std::vector<double> other;
};

struct TuningComparison {
  /// Another value has to be so much faster in the median of the pairs ...
  static constexpr double least_gain = 0.03;
  /// ... and faster in so many of them, and at no length so much slower.
  static constexpr double least_wins = 0.8;
  static constexpr double most_loss = 0.02;

  double ratio = 1;  ///< time of the other value over that of the present one, median over the pairs
  double worst = 1;  ///< the same of the length that loses most
  double wins = 0;   ///< part of the pairs in which the other one is faster

  bool is_better() const noexcept {
    return ratio <= 1 - least_gain && worst <= 1 + most_loss && wins >= least_wins;
  }
};

/// All pairs have the same lengths; there is a pair, and it has a length.
inline TuningComparison compare_pairs(const std::vector<TimedPair>& pairs) {
  expect(!pairs.empty() && !pairs.front().other.empty(), "something was measured");
  const auto median = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  const std::size_t lengths = pairs.front().other.size();
  std::vector<double> of_pairs;
  std::vector<std::vector<double>> of_lengths(lengths);
  TuningComparison result;
  for (const TimedPair& pair : pairs) {
    double product = 1;
    for (std::size_t k = 0; k < lengths; ++k) {
      of_lengths[k].push_back(pair.other[k] / pair.present[k]);
      product *= of_lengths[k].back();
    }
    of_pairs.push_back(std::pow(product, 1.0 / static_cast<double>(lengths)));
    if (of_pairs.back() < 1) result.wins += 1.0 / static_cast<double>(pairs.size());
  }
  result.ratio = median(of_pairs);
  result.worst = 0;
  for (const std::vector<double>& one : of_lengths) result.worst = std::max(result.worst, median(one));
  return result;
}

}  // namespace taihu::launch
