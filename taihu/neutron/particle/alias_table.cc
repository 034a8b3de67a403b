// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/particle/alias_table.h"

#include <numeric>

#include "taihu/base/contract.h"

namespace taihu::neutron {

std::vector<AliasEntry> make_alias_table(std::span<const double> weights, int first_name) {
  const int count = static_cast<int>(weights.size());
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  expect(count > 0 && total > 0, "there are weights, and not all are 0");
  std::vector<AliasEntry> table(count);
  std::vector<double> height(count);
  std::vector<int> low, high;
  for (int i = 0; i < count; ++i) {
    table[i] = {1, first_name + i, first_name + i};
    height[i] = weights[i] * count / total;
    (height[i] < 1 ? low : high).push_back(i);
  }
  while (!low.empty() && !high.empty()) {
    const int small = low.back(), large = high.back();
    low.pop_back();
    table[small].threshold = height[small];
    table[small].alias = first_name + large;
    height[large] -= 1 - height[small];
    if (height[large] < 1) {
      high.pop_back();
      low.push_back(large);
    }
  }
  // Slots that are left over by rounding are whole, except slots of weight 0, which must never be drawn.
  for (const int i : low)
    if (weights[i] == 0) {
      int best = 0;
      for (int j = 1; j < count; ++j)
        if (weights[j] > weights[best]) best = j;
      table[i] = {0, first_name + i, first_name + best};
    }
  return table;
}

}  // namespace taihu::neutron
