// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/collectives/tree.h"

#include <bit>
#include <set>

#include "taihu/base/error.h"

namespace taihu::noc {

std::vector<std::uint8_t> placement(const Mesh& mesh, const std::string& name, int root) {
  const auto nodes = static_cast<std::size_t>(mesh.nodes());
  if (name == "none") return std::vector<std::uint8_t>(nodes, 0);
  if (name == "all") return std::vector<std::uint8_t>(nodes, 1);
  std::vector<std::uint8_t> levels(nodes, 2);
  const bool rows = mesh.routing() == Routing::yx;
  const int line = rows ? mesh.y(root) : mesh.x(root);
  check_input(name == "S1" || name == "S2" || name == "S3",
              "unknown placement '" + name + "'; there are S1, S2, S3, all, none and lists of nodes");
  for (int node = 0; node < mesh.nodes(); ++node) {
    const int own = rows ? mesh.y(node) : mesh.x(node);
    const bool first = name == "S1" ? node == root : own == line || (name == "S3" && own == line + 1);
    if (first) levels[static_cast<std::size_t>(node)] = 1;
  }
  return levels;
}

std::vector<std::uint8_t> placement(const Mesh& mesh, const std::vector<int>& nodes) {
  std::vector<std::uint8_t> levels(static_cast<std::size_t>(mesh.nodes()), 2);
  for (const int node : nodes) levels[static_cast<std::size_t>(node)] = 1;
  return levels;
}

namespace {

/// Notes one member's way to the root in the tables, and the level-1 routers on it.
void walk(const Mesh& mesh, const std::vector<std::uint8_t>& levels, Tree& tree, int member) {
  int port = local;
  int first = -1;
  for (int here = member;; here = mesh.neighbour(here, port), port = opposite(port)) {
    const auto at = static_cast<std::size_t>(here);
    LearnedEntry& entry = tree.entries[at];
    ++entry.counts[static_cast<std::size_t>(port)];
    ++entry.total;
    if (levels[at] == 1) {
      if (first < 0) first = here, ++entry.direct;
    }
    port = mesh.route(here, tree.root);
    if (port == local) break;
  }
  tree.first_unit.push_back(first);
}

/// The next level-1 router behind `router` on the way to the root, -1 none.
int unit_behind(const Mesh& mesh, const std::vector<std::uint8_t>& levels, int root, int router) {
  while (router != root) {
    router = mesh.neighbour(router, mesh.route(router, root));
    if (levels[static_cast<std::size_t>(router)] == 1) return router;
  }
  return -1;
}

/// Inputs of each level-1 router get places: the direct contributions in member order, then results of other
/// routers in the order of their numbers.
void give_places(const std::vector<std::uint8_t>& levels, Tree& tree) {
  for (const int unit : tree.first_unit) {
    if (unit < 0) {
      tree.place.push_back(0);
    } else {
      tree.place.push_back(tree.entries[static_cast<std::size_t>(unit)].inputs++);
    }
  }
  for (std::size_t router = 0; router < levels.size(); ++router) {
    if (levels[router] != 1 || tree.entries[router].total == 0 || tree.parent_unit[router] < 0) continue;
    tree.entries[router].place = tree.entries[static_cast<std::size_t>(tree.parent_unit[router])].inputs++;
  }
}

}  // namespace

Tree make_tree(const Mesh& mesh, const std::vector<std::uint8_t>& levels, const std::vector<int>& members,
               int root) {
  Tree tree;
  tree.root = root;
  tree.members = members;
  tree.entries.resize(static_cast<std::size_t>(mesh.nodes()));
  for (const int member : members) walk(mesh, levels, tree, member);
  for (int router = 0; router < mesh.nodes(); ++router)
    tree.parent_unit.push_back(unit_behind(mesh, levels, root, router));
  give_places(levels, tree);
  return tree;
}

bool is_mask_set(const Mesh& mesh, const std::vector<int>& members) {
  if (members.empty()) return false;
  unsigned x_mask = 0, y_mask = 0;
  for (const int member : members) {
    x_mask |= static_cast<unsigned>(mesh.x(member) ^ mesh.x(members.front()));
    y_mask |= static_cast<unsigned>(mesh.y(member) ^ mesh.y(members.front()));
  }
  const std::set<int> distinct(members.begin(), members.end());
  return distinct.size() == std::size_t{1} << (std::popcount(x_mask) + std::popcount(y_mask));
}

}  // namespace taihu::noc
