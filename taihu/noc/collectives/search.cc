// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/collectives/search.h"

#include <algorithm>
#include <numeric>

#include "taihu/base/formatted.h"
#include "taihu/noc/collectives/model.h"

namespace taihu::noc {

namespace {

PlacementResult evaluate(MachineConfig config, const std::vector<int>& lines, std::size_t bytes) {
  const Mesh& mesh = config.network.mesh;
  const bool rows = mesh.routing() == Routing::yx;
  std::vector<int> units, members(static_cast<std::size_t>(mesh.nodes()));
  std::iota(members.begin(), members.end(), 0);
  for (const int node : members)
    if (std::find(lines.begin(), lines.end(), rows ? mesh.y(node) : mesh.x(node)) != lines.end())
      units.push_back(node);
  config.network.levels = placement(mesh, units);
  const Tree tree = make_tree(mesh, config.network.levels, members, config.tree_root);
  Operation operation;
  operation.collective = Collective::reduce;
  operation.root = config.tree_root;
  operation.bytes = bytes;
  config.costs.hardware_send = config.costs.hardware_receive = 0;
  return {lines, predict_hardware(config, tree, operation), reduce_hops(mesh, tree),
          static_cast<int>(units.size())};
}

void add_sets(const MachineConfig& config, std::size_t bytes, int first, int left, std::vector<int>& chosen,
              int fixed, std::vector<PlacementResult>& results) {
  check_input(results.size() < 1'000'000, "more than a million sets of rows; ask for fewer rows");
  std::vector<int> sorted = chosen;
  std::sort(sorted.begin(), sorted.end());
  results.push_back(evaluate(config, sorted, bytes));
  if (left == 0) return;
  const Mesh& mesh = config.network.mesh;
  const int lines = mesh.routing() == Routing::yx ? mesh.height() : mesh.width();
  for (int line = first; line < lines; ++line) {
    if (line == fixed) continue;
    chosen.push_back(line);
    add_sets(config, bytes, line + 1, left - 1, chosen, fixed, results);
    chosen.pop_back();
  }
}

}  // namespace

std::vector<PlacementResult> search_placements(const MachineConfig& config, int most_lines,
                                               std::size_t bytes) {
  const Mesh& mesh = config.network.mesh;
  const int fixed = mesh.routing() == Routing::yx ? mesh.y(config.tree_root) : mesh.x(config.tree_root);
  std::vector<int> chosen = {fixed};
  std::vector<PlacementResult> results;
  add_sets(config, bytes, 0, most_lines - 1, chosen, fixed, results);
  std::stable_sort(results.begin(), results.end(), [](const auto& a, const auto& b) {
    return std::pair(a.cycles, a.hops) < std::pair(b.cycles, b.hops);
  });
  return results;
}

std::vector<PlacementResult> undominated(const std::vector<PlacementResult>& results) {
  std::vector<PlacementResult> best;
  for (const PlacementResult& each : results) {
    const bool beaten = std::any_of(results.begin(), results.end(), [&](const PlacementResult& other) {
      const bool no_worse =
          other.cycles <= each.cycles && other.hops <= each.hops && other.units <= each.units;
      return no_worse && (other.cycles < each.cycles || other.hops < each.hops || other.units < each.units);
    });
    if (!beaten) best.push_back(each);
  }
  return best;
}

std::string to_text(const std::vector<PlacementResult>& results) {
  std::string text = "  cycles    hops   units  rows\n";
  for (const PlacementResult& each : results) {
    text += formatted("%8ld %7d %7d  ", static_cast<long>(each.cycles), each.hops, each.units);
    for (std::size_t at = 0; at < each.lines.size(); ++at)
      text += (at == 0 ? "" : ", ") + std::to_string(each.lines[at]);
    text += "\n";
  }
  return text;
}

}  // namespace taihu::noc
