// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/energy_grid.h"

#include <iterator>
#include <utility>

namespace taihu::neutron {

/// In pairs, then in pairs of these, so that each energy is copied log2(grids) times.
std::vector<double> union_of(std::vector<std::vector<double>> grids) {
  if (grids.empty()) return {};
  while (grids.size() > 1) {
    std::vector<std::vector<double>> merged((grids.size() + 1) / 2);
    for (std::size_t i = 0; i + 1 < grids.size(); i += 2) {
      const std::vector<double>&one = grids[i], &other = grids[i + 1];
      merged[i / 2].reserve(one.size() + other.size());
      std::set_union(one.begin(), one.end(), other.begin(), other.end(), std::back_inserter(merged[i / 2]));
    }
    if (grids.size() % 2 == 1) merged.back() = std::move(grids.back());
    grids = std::move(merged);
  }
  return std::move(grids.front());
}

}  // namespace taihu::neutron
