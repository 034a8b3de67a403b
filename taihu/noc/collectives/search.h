// SPDX-License-Identifier: Apache-2.0
// Looks for good places of level-1 routers with the closed forms: all sets of `lines` rows (columns with XY
// routing) for a reduction over all nodes.
#pragma once

#include <string>
#include <vector>

#include "taihu/noc/collectives/machine.h"

namespace taihu::noc {

struct PlacementResult {
  std::vector<int> lines;  ///< rows that are all level 1
  Cycle cycles = 0;        ///< of a reduction at zero load, hardware only
  int hops = 0;            ///< its packet hops
  int units = 0;           ///< level-1 routers
};

/// All sets of 1 to `most_lines` rows that contain the root's row, best first by cycles, then hops. Throws
/// Error when there are more than a million sets.
std::vector<PlacementResult> search_placements(const MachineConfig& config, int most_lines,
                                               std::size_t bytes);
/// The Pareto-optimal ones: no other one beats them in all of cycles, hops and number of units.
std::vector<PlacementResult> undominated(const std::vector<PlacementResult>& results);
std::string to_text(const std::vector<PlacementResult>& results);

}  // namespace taihu::noc
