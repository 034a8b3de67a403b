// SPDX-License-Identifier: Apache-2.0
#include "taihu/topology/machine.h"

#include <algorithm>

#include "taihu/base/error.h"

namespace taihu::topology {

int Machine::numa_nodes_with_cpus() const noexcept {
  std::vector<bool> home(numa_nodes.size(), false);
  for (const Core& core : cores) home[core.numa_node] = true;
  return static_cast<int>(std::count(home.begin(), home.end(), true));
}

int Machine::cache_line_bytes() const noexcept {
  int bytes = 0;
  for (const Cache& cache : caches) bytes = std::max(bytes, cache.line_bytes);
  return bytes > 0 ? bytes : 64;
}

std::int64_t Machine::last_level_cache_bytes() const noexcept {
  int level = 0;
  std::int64_t bytes = 0;
  for (const Cache& cache : caches) {
    if (cache.level < level) continue;
    bytes = cache.level > level ? cache.bytes : std::max(bytes, cache.bytes);
    level = cache.level;
  }
  return bytes;
}

bool Machine::hybrid() const noexcept {
  return std::any_of(cores.begin(), cores.end(),
                     [this](const Core& core) { return core.efficiency != cores.front().efficiency; });
}

Machine restricted(const Machine& machine, const CpuSet& allowed) {
  Machine result = machine;
  result.cpus = intersection(machine.cpus, allowed);
  check_input(!result.cpus.empty(),
              "no cpu is left (the machine has " + machine.cpus.to_text() + ", this process may use " +
                  (allowed.empty() ? "none" : allowed.to_text()) + "); check taskset and the cgroup");

  std::vector<int> new_index(machine.packages.size(), -1);
  result.packages.clear();
  for (std::size_t i = 0; i < machine.packages.size(); ++i) {
    Package package = machine.packages[i];
    package.cpus = intersection(package.cpus, result.cpus);
    if (package.cpus.empty()) continue;
    new_index[i] = static_cast<int>(result.packages.size());
    result.packages.push_back(std::move(package));
  }

  for (NumaNode& node : result.numa_nodes) node.cpus = intersection(node.cpus, result.cpus);
  for (Cache& cache : result.caches) cache.cpus = intersection(cache.cpus, result.cpus);
  std::erase_if(result.caches, [](const Cache& cache) { return cache.cpus.empty(); });

  for (Core& core : result.cores) {
    core.cpus = intersection(core.cpus, result.cpus);
    core.package = new_index[core.package];
  }
  std::erase_if(result.cores, [](const Core& core) { return core.cpus.empty(); });
  return result;
}

}  // namespace taihu::topology
