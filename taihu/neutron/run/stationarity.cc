// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/run/stationarity.h"

#include <cmath>

#include "taihu/base/formatted.h"

namespace taihu::neutron {

std::size_t first_stationary(const std::vector<double>& entropy) {
  const std::size_t count = entropy.size(), half = count / 2;
  if (half < 2) return 0;
  double mean = 0, square = 0;
  for (std::size_t i = count - half; i < count; ++i) mean += entropy[i] / static_cast<double>(half);
  for (std::size_t i = count - half; i < count; ++i) square += (entropy[i] - mean) * (entropy[i] - mean);
  const double deviation = std::sqrt(square / static_cast<double>(half - 1));
  std::size_t first = 0;
  while (first + 1 < count && std::fabs(entropy[first] - mean) > deviation) ++first;
  return first + 1;
}

std::string stationarity_text(const std::vector<double>& entropy, std::size_t inactive) {
  const std::size_t first = first_stationary(entropy);
  if (first == 0) return "";
  const std::string text = formatted(
      "entropy: generation %zu is the first whose entropy is within one deviation of the last half's mean; "
      "%zu "
      "were inactive",
      first, inactive);
  return first <= inactive + 1 ? text : text + ", too few for a stationary source";
}

}  // namespace taihu::neutron
