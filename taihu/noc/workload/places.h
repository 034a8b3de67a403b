// SPDX-License-Identifier: Apache-2.0
// Which node of the mesh each rank of a program runs on.
#pragma once

#include <string>
#include <vector>

#include "taihu/noc/network/mesh.h"

namespace taihu::noc {

/// The node of each of `ranks` ranks. `how`: "rows" (rank i on node i), "columns", "snake" (rows, every
/// second one backwards), "random" (always the same permutation), or the nodes themselves, "0,5,10,15". No
/// node has two ranks. Throws UsageError when `how` is none of these, and Error when there are more ranks
/// than places.
std::vector<int> place_ranks(const Mesh& mesh, const std::string& how, int ranks);

}  // namespace taihu::noc
