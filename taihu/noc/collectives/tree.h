// SPDX-License-Identifier: Apache-2.0
// Where the level-1 routers are, and the tree that a communicator's contributions run along, computed from
// the routes instead of learned. Software uses it for what routers cannot learn (places), the tests compare
// learned tables with it, and the closed-form model walks over it.
#pragma once

#include <string>
#include <vector>

#include "taihu/noc/network/collective_unit.h"
#include "taihu/noc/network/mesh.h"

namespace taihu::noc {

/// Levels of all routers. `name`: "S1" (only the root), "S2" (the root's row, with XY routing its column),
/// "S3" (also the next), "all", "none" (all plain). With XY routing rows become columns: contributions must
/// meet in the level-1 routers before they turn. Throws Error for another name.
std::vector<std::uint8_t> placement(const Mesh& mesh, const std::string& name, int root);
/// Level 1 at `nodes`, level 2 elsewhere.
std::vector<std::uint8_t> placement(const Mesh& mesh, const std::vector<int>& nodes);

/// A communicator's tree.
struct Tree {
  int root = 0;
  std::vector<int> members;           ///< nodes
  std::vector<LearnedEntry> entries;  ///< per router, as if all were level 1 routers with these levels
  std::vector<int> first_unit;        ///< per member: its first level-1 router, -1 none
  std::vector<int> place;             ///< per member: among the inputs of its first level-1 router
  std::vector<int> parent_unit;       ///< per router: the next level-1 router behind it, -1 the root's core
};

Tree make_tree(const Mesh& mesh, const std::vector<std::uint8_t>& levels, const std::vector<int>& members,
               int root);

/// Whether the nodes are exactly those that agree in some bits of x and y, with every value of the other
/// bits: then a header can name them by a node and a mask.
bool is_mask_set(const Mesh& mesh, const std::vector<int>& members);

}  // namespace taihu::noc
