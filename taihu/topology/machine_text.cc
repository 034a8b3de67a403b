// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "taihu/base/units.h"
#include "taihu/topology/machine.h"

namespace taihu::topology {
namespace {

std::string plural(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool is_home(const Machine& machine, std::size_t numa_node) {
  return std::any_of(machine.cores.begin(), machine.cores.end(),
                     [numa_node](const Core& core) { return core.numa_node == static_cast<int>(numa_node); });
}

void describe_cores(const Machine& machine, int package, int numa_node, std::ostringstream& text) {
  for (const Core& core : machine.cores) {
    if (core.package != package || core.numa_node != numa_node) continue;
    text << "      core: cpus " << core.cpus.to_text();
    if (machine.hybrid()) text << ", kind " << core.efficiency;
    text << '\n';
  }
}

void describe_package(const Machine& machine, std::size_t index, std::ostringstream& text) {
  const Package& package = machine.packages[index];
  text << "  package";
  if (package.os_index >= 0) text << ' ' << package.os_index;
  if (!package.model.empty()) text << " (" << package.model << ")";
  text << ": cpus " << package.cpus.to_text() << '\n';
  for (std::size_t node = 0; node < machine.numa_nodes.size(); ++node) {
    const bool used = std::any_of(machine.cores.begin(), machine.cores.end(), [&](const Core& core) {
      return core.package == static_cast<int>(index) && core.numa_node == static_cast<int>(node);
    });
    if (!used) continue;
    const NumaNode& numa = machine.numa_nodes[node];
    text << "    NUMA node " << numa.os_index << ": ";
    text << (numa.memory_bytes > 0 ? format_bytes(numa.memory_bytes) : std::string("memory unknown or none"))
         << '\n';
    describe_cores(machine, static_cast<int>(index), static_cast<int>(node), text);
  }
}

void describe_caches(const Machine& machine, std::ostringstream& text) {
  int level = -1;
  for (const Cache& cache : machine.caches) {
    if (cache.level == level) continue;
    level = cache.level;
    const auto count = std::count_if(machine.caches.begin(), machine.caches.end(),
                                     [level](const Cache& other) { return other.level == level; });
    text << "  L" << level << ": " << count << " x " << format_bytes(cache.bytes) << ", each for "
         << plural(cache.cpus.size(), "cpu") << '\n';
  }
  text << "  cache line: " << machine.cache_line_bytes() << " bytes\n";
}

void describe_distances(const Machine& machine, std::ostringstream& text) {
  if (machine.distances.empty() || machine.numa_nodes.size() < 2) return;
  const std::size_t nodes = machine.numa_nodes.size();
  text << "  distances between NUMA nodes (10 is local):\n";
  for (std::size_t from = 0; from < nodes; ++from) {
    text << "    " << machine.numa_nodes[from].os_index << ":";
    for (std::size_t to = 0; to < nodes; ++to) text << ' ' << machine.distances[from * nodes + to];
    text << '\n';
  }
}

}  // namespace

std::string describe(const Machine& machine) {
  std::ostringstream text;
  text << "machine (" << machine.source << "): " << plural(machine.packages.size(), "package") << ", "
       << plural(machine.numa_nodes.size(), "NUMA node") << ", " << plural(machine.cores.size(), "core")
       << ", " << plural(machine.cpus.size(), "cpu") << " usable: " << machine.cpus.to_text() << '\n';
  for (std::size_t i = 0; i < machine.packages.size(); ++i) describe_package(machine, i, text);
  for (std::size_t i = 0; i < machine.numa_nodes.size(); ++i) {
    if (is_home(machine, i)) continue;
    const NumaNode& node = machine.numa_nodes[i];
    text << "  NUMA node " << node.os_index << " without cores: " << format_bytes(node.memory_bytes) << '\n';
  }
  describe_caches(machine, text);
  describe_distances(machine, text);
  return text.str();
}

std::string to_json(const Machine& machine) {
  using nlohmann::ordered_json;
  ordered_json json;
  json["source"] = machine.source;
  json["cpus"] = machine.cpus.cpus();
  json["cache_line_bytes"] = machine.cache_line_bytes();
  json["last_level_cache_bytes"] = machine.last_level_cache_bytes();
  json["hybrid"] = machine.hybrid();
  for (const Package& package : machine.packages)
    json["packages"].push_back(
        {{"os_index", package.os_index}, {"model", package.model}, {"cpus", package.cpus.cpus()}});
  for (const NumaNode& node : machine.numa_nodes)
    json["numa_nodes"].push_back(
        {{"os_index", node.os_index}, {"memory_bytes", node.memory_bytes}, {"cpus", node.cpus.cpus()}});
  json["caches"] = ordered_json::array();
  for (const Cache& cache : machine.caches)
    json["caches"].push_back({{"level", cache.level},
                              {"bytes", cache.bytes},
                              {"line_bytes", cache.line_bytes},
                              {"cpus", cache.cpus.cpus()}});
  for (const Core& core : machine.cores)
    json["cores"].push_back({{"package", core.package},
                             {"numa_node", core.numa_node},
                             {"efficiency", core.efficiency},
                             {"cpus", core.cpus.cpus()}});
  json["numa_distances"] = machine.distances;
  // Names of processors and files may be in any encoding.
  return json.dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace taihu::topology
