// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/workload/places.h"

#include <charconv>
#include <numeric>
#include <set>
#include <utility>

#include "taihu/base/error.h"
#include "taihu/base/random.h"

namespace taihu::noc {

namespace {

std::vector<int> listed(const Mesh& mesh, const std::string& text) {
  std::vector<int> nodes;
  std::set<int> taken;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    int node = -1;
    const auto [stop, fault] = std::from_chars(text.data() + begin, text.data() + end, node);
    if (fault != std::errc() || stop != text.data() + end)
      throw UsageError("places '" + text +
                       "': not rows, columns, snake, random or a list of nodes such as 0,5,10");
    const std::string named = "places: node " + std::to_string(node);
    if (node < 0 || node >= mesh.nodes()) throw UsageError(named + " is not in the " + mesh.describe());
    if (!taken.insert(node).second) throw UsageError(named + " is there twice");
    nodes.push_back(node);
    begin = end + 1;
  }
  return nodes;
}

}  // namespace

std::vector<int> place_ranks(const Mesh& mesh, const std::string& how, int ranks) {
  std::vector<int> nodes(static_cast<std::size_t>(mesh.nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  if (how == "columns") {
    for (int& node : nodes) node = mesh.node(node / mesh.height(), node % mesh.height());
  } else if (how == "snake") {
    for (int& node : nodes)
      if (mesh.y(node) % 2 == 1) node = mesh.node(mesh.width() - 1 - mesh.x(node), mesh.y(node));
  } else if (how == "random") {
    Random random(1);
    for (std::size_t left = nodes.size(); left > 1; --left)
      std::swap(nodes[left - 1], nodes[random.below(left)]);
  } else if (how != "rows") {
    nodes = listed(mesh, how);
  }
  check_input(nodes.size() >= static_cast<std::size_t>(ranks),
              "there are places for " + std::to_string(nodes.size()) + " ranks, and the trace has " +
                  std::to_string(ranks));
  nodes.resize(static_cast<std::size_t>(ranks));
  return nodes;
}

}  // namespace taihu::noc
