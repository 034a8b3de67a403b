// SPDX-License-Identifier: Apache-2.0
// The only file that talks to hwloc: loads a topology and copies it into plain data.
#include <hwloc.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <sstream>

#include "taihu/base/error.h"
#include "taihu/topology/machine.h"
#include "taihu/topology/trial.h"

namespace taihu::topology {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const noexcept { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

Topology new_topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw system_error("cannot start hwloc", errno);
  return Topology(topology);
}

CpuSet to_cpu_set(hwloc_const_cpuset_t set) {
  std::vector<int> cpus;
  if (set == nullptr) return {};
  check_input(hwloc_bitmap_weight(set) >= 0, "a set of cpus has no end");
  for (int cpu = hwloc_bitmap_first(set); cpu != -1; cpu = hwloc_bitmap_next(set, cpu)) cpus.push_back(cpu);
  return CpuSet(std::move(cpus));
}

std::vector<hwloc_obj_t> objects_of(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::vector<hwloc_obj_t> objects;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;)
    objects.push_back(object);
  return objects;
}

int os_index(hwloc_obj_t object) {
  return object->os_index == HWLOC_UNKNOWN_INDEX ? -1 : static_cast<int>(object->os_index);
}

void read_packages(hwloc_topology_t topology, Machine& machine) {
  for (hwloc_obj_t object : objects_of(topology, HWLOC_OBJ_PACKAGE)) {
    const char* model = hwloc_obj_get_info_by_name(object, "CPUModel");
    CpuSet cpus = to_cpu_set(object->cpuset);
    if (!cpus.empty()) machine.packages.push_back({os_index(object), model ? model : "", std::move(cpus)});
  }
  // Some virtual machines and containers show none.
  if (machine.packages.empty()) machine.packages.push_back({-1, "", machine.cpus});
}

void read_numa_nodes(hwloc_topology_t topology, Machine& machine) {
  for (hwloc_obj_t object : objects_of(topology, HWLOC_OBJ_NUMANODE))
    machine.numa_nodes.push_back({os_index(object),
                                  static_cast<std::int64_t>(object->attr->numanode.local_memory),
                                  to_cpu_set(object->cpuset)});
  if (machine.numa_nodes.empty()) machine.numa_nodes.push_back({0, 0, machine.cpus});
}

void read_caches(hwloc_topology_t topology, Machine& machine) {
  for (hwloc_obj_type_t type :
       {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE})
    for (hwloc_obj_t object : objects_of(topology, type)) {
      const auto& cache = object->attr->cache;
      CpuSet cpus = to_cpu_set(object->cpuset);
      if (cpus.empty()) continue;
      machine.caches.push_back({static_cast<int>(cache.depth), static_cast<std::int64_t>(cache.size),
                                static_cast<int>(cache.linesize), std::move(cpus)});
    }
}

void read_distances(hwloc_topology_t topology, Machine& machine) {
  unsigned count = 1;
  hwloc_distances_s* distances = nullptr;
  const int failed = hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &distances,
                                                 HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0);
  if (failed != 0 || count == 0) return;
  // hwloc may list the nodes in another order than ours, or only some of them.
  const std::size_t nodes = machine.numa_nodes.size();
  if (distances->nbobjs == nodes) {
    machine.distances.assign(nodes * nodes, 0);
    for (unsigned from = 0; from < nodes; ++from)
      for (unsigned to = 0; to < nodes; ++to)
        machine.distances[distances->objs[from]->logical_index * nodes + distances->objs[to]->logical_index] =
            distances->values[from * nodes + to];
  }
  hwloc_distances_release(topology, distances);
}

/// The smallest NUMA node around the core; the first of equals, because hwloc lists ordinary memory before
/// special memory. A core without a memory node gets the first node that has memory.
int numa_node_of(const Machine& machine, const CpuSet& core) {
  int best = -1;
  for (std::size_t i = 0; i < machine.numa_nodes.size(); ++i) {
    const CpuSet& cpus = machine.numa_nodes[i].cpus;
    if (!cpus.includes(core)) continue;
    if (best == -1 || cpus.size() < machine.numa_nodes[best].cpus.size()) best = static_cast<int>(i);
  }
  if (best != -1) return best;
  const auto with_memory = std::find_if(machine.numa_nodes.begin(), machine.numa_nodes.end(),
                                        [](const NumaNode& node) { return node.memory_bytes > 0; });
  return with_memory == machine.numa_nodes.end() ? 0
                                                 : static_cast<int>(with_memory - machine.numa_nodes.begin());
}

int efficiency_of(hwloc_topology_t topology, hwloc_const_cpuset_t cpus) {
  const int kind = hwloc_cpukinds_get_by_cpuset(topology, cpus, 0);
  if (kind < 0) return 0;
  int efficiency = 0;
  if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(kind), nullptr, &efficiency, nullptr, nullptr,
                              0) != 0)
    return 0;
  return std::max(efficiency, 0);
}

void read_cores(hwloc_topology_t topology, Machine& machine) {
  std::vector<hwloc_obj_t> objects = objects_of(topology, HWLOC_OBJ_CORE);
  if (objects.empty()) objects = objects_of(topology, HWLOC_OBJ_PU);
  for (hwloc_obj_t object : objects) {
    Core core;
    core.cpus = to_cpu_set(object->cpuset);
    if (core.cpus.empty()) continue;
    core.efficiency = efficiency_of(topology, object->cpuset);
    core.numa_node = numa_node_of(machine, core.cpus);
    for (std::size_t i = 0; i < machine.packages.size(); ++i)
      if (machine.packages[i].cpus.includes(core.cpus)) core.package = static_cast<int>(i);
    machine.cores.push_back(std::move(core));
  }
}

/// Checks the invariants of machine.h for a machine that a user has written.
void check_cores(const Machine& machine, const std::string& complaint) {
  CpuSet seen;
  for (const Core& core : machine.cores) {
    check_input(intersection(seen, core.cpus).empty(),
                complaint + " (cpu " + intersection(seen, core.cpus).to_text() + " is in two cores)");
    seen.insert(core.cpus);
    check_input(machine.packages[core.package].cpus.includes(core.cpus),
                complaint + " (the core of cpu " + core.cpus.to_text() + " is in no package)");
  }
  check_input(seen == machine.cpus, complaint + " (some cpus are in no core)");
}

Machine load(Topology topology, std::string source, const std::string& complaint) {
  if (hwloc_topology_load(topology.get()) != 0)
    throw Error(complaint + (errno != 0 ? std::string(" (") + std::strerror(errno) + ")" : ""));
  Machine machine;
  machine.source = std::move(source);
  machine.cpus = to_cpu_set(hwloc_topology_get_topology_cpuset(topology.get()));
  check_input(!machine.cpus.empty(), complaint + " (it has no processing units)");
  read_packages(topology.get(), machine);
  read_numa_nodes(topology.get(), machine);
  read_caches(topology.get(), machine);
  read_distances(topology.get(), machine);
  read_cores(topology.get(), machine);
  check_cores(machine, complaint);
  return machine;
}

/// Loads what `configure` describes. hwloc ends the program on some descriptions that are damaged, so a child
/// tries first.
template <typename Configure>
Machine load_described(Configure configure, const std::string& source, const std::string& complaint) {
  const auto load_it = [&] {
    Topology topology = new_topology();
    check_input(configure(topology.get()) == 0, complaint);
    errno = 0;
    return load(std::move(topology), source, complaint);
  };
  try_in_child([&] { load_it(); }, complaint);
  return load_it();
}

/// hwloc's format needs some names in full, and always a last level of processing units.
std::string complete_text(const std::string& text) {
  std::istringstream words(text);
  std::string result;
  bool has_units = false;
  for (std::string word; words >> word;) {
    const std::size_t colon = word.find(':');
    std::string type = word.substr(0, colon);
    std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::tolower(c); });
    if (type == "node" || type == "numa") type = "numanode";
    if (type == "socket" || type == "pack") type = "package";
    if (colon != word.npos) word = type + word.substr(colon);
    has_units |= type == "pu";
    result += (result.empty() ? "" : " ") + word;
  }
  return has_units ? result : result + " pu:1";
}

constexpr std::uint64_t most_objects = 65536;

/// Whether what follows each colon is a number from 1 on, and the product of them no more than
/// `most_objects`. hwloc would take "-1", "0x10" and blanks as well. Attributes in parentheses, which may
/// have blanks, are left to it.
bool is_sensible(const std::string& text) {
  std::string outside;
  int depth = 0;
  for (const char letter : text) {
    if (letter == ')') depth = std::max(depth - 1, 0);
    if (depth == 0) outside += letter == ')' ? ' ' : letter;
    if (letter == '(') ++depth;
  }
  std::istringstream words(outside);
  std::uint64_t product = 1;
  for (std::string word; words >> word;) {
    const std::size_t colon = word.find(':');
    if (colon == word.npos) continue;
    std::uint64_t number = 0;
    const char* const end_of_word = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data() + colon + 1, end_of_word, number);
    if (error != std::errc() || number == 0 || number > most_objects) return false;
    if (end != end_of_word && *end != '(') return false;
    product *= number;
    if (product > most_objects) return false;
  }
  return true;
}

}  // namespace

Machine live_machine() {
  const Machine whole = load(new_topology(), "live", "cannot look at this machine through hwloc");
  return restricted(whole, allowed_cpus());
}

Machine machine_from_xml(const std::string& path) {
  const std::string complaint =
      "cannot read the machine in " + path + "; record one with 'lstopo machine.xml'";
  return load_described(
      [&](hwloc_topology_t topology) { return hwloc_topology_set_xml(topology, path.c_str()); }, path,
      complaint);
}

Machine machine_from_text(const std::string& text) {
  const std::string complaint =
      "cannot read the machine '" + text +
      "'; write it as in \"package:2 numanode:2 core:4 pu:2\", or name an hwloc XML file";
  check_input(text.find_first_not_of(" \t") != text.npos, complaint);
  check_input(is_sensible(text), complaint + " (numbers from 1 on, together at most " +
                                     std::to_string(most_objects) + " processing units)");
  const std::string complete = complete_text(text);
  return load_described(
      [&](hwloc_topology_t topology) { return hwloc_topology_set_synthetic(topology, complete.c_str()); },
      text, complaint);
}

Machine machine_from_file_or_text(const std::string& file_or_text) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(file_or_text, ignored) ? machine_from_xml(file_or_text)
                                                                 : machine_from_text(file_or_text);
}

}  // namespace taihu::topology
