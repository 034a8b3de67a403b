// SPDX-License-Identifier: Apache-2.0
// Numbers the places at which a universe stands: a universe in each element of a lattice has as many
// instances as the lattice has elements.
//
// Instances count from 0 in the order of a walk down from the root universe: cells in the order of the input,
// elements of a lattice with x running fastest, then y, then z. That is OpenMC's order, so that its tools
// know which place a bin belongs to. Cells in the outer universe of a lattice are not counted as instances.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/geometry/geometry.h"

namespace taihu::neutron {

class InstanceTable {
 public:
  /// Of `universe` in a complete geometry. Throws Error when there are more than 2^31 instances.
  InstanceTable(const Geometry& geometry, UniverseId universe);

  UniverseId universe() const noexcept { return universe_; }
  int count() const noexcept { return static_cast<int>(counts_[root_.index()]); }

  /// The instance that the location is in, where levels[level] is in the universe; -1: in none.
  int number(const Location& location, int level) const noexcept {
    int sum = 0;
    for (int at = 0; at < level; ++at) {
      const Location::Level& below = location.levels[at + 1];
      sum += cell_offsets_[location.levels[at].cell.index()];
      if (!below.lattice) continue;
      if (below.element < 0) return -1;
      sum += element_offsets_[below.lattice.index()][below.element];
    }
    return sum;
  }

  /// Way from the root to `cell`, one of the universe's: "u1->c7->l3(0,2)->u2->c5", with ids.
  std::string path(const Geometry& geometry, int instance, CellId cell) const;

 private:
  std::int64_t count_below(const Geometry& geometry, UniverseId universe);

  UniverseId universe_, root_;
  std::vector<std::int64_t> counts_;               ///< instances in each universe; -1: not counted
  std::vector<int> cell_offsets_;                  ///< by cell: instances in its universe before it
  std::vector<std::vector<int>> element_offsets_;  ///< by lattice and flat index: instances before it
};

}  // namespace taihu::neutron
