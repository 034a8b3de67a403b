// SPDX-License-Identifier: Apache-2.0
// What one operating-system node is made of: packages, NUMA nodes, caches, cores, logical processors (cpus)
// and the distances between NUMA nodes. Plain data, filled by hwloc from the live machine, from a recorded
// hwloc XML file, or from a line of text such as "package:2 numanode:2 core:4 pu:2", so that decisions can be
// tested on any machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "taihu/topology/cpu_set.h"

namespace taihu::topology {

struct Package {
  int os_index = 0;   ///< -1 when unknown
  std::string model;  ///< processor name; empty when unknown
  CpuSet cpus;
};

struct NumaNode {
  int os_index = 0;
  std::int64_t memory_bytes = 0;  ///< 0: no memory here, or its size is unknown
  CpuSet cpus;  ///< near it; of memory without processors: the cpus of the object that hwloc attaches it to,
                ///< or none
};

struct Cache {
  int level = 1;
  std::int64_t bytes = 0;  ///< 0 when unknown
  int line_bytes = 0;      ///< 0 when unknown
  CpuSet cpus;             ///< the cpus that share it
};

struct Core {
  int package = 0;     ///< index into Machine::packages
  int numa_node = 0;   ///< index into Machine::numa_nodes: its home, the smallest around it
  int efficiency = 0;  ///< kind of core on hybrid processors, larger is faster; 0 on all others
  CpuSet cpus;         ///< its hardware threads
};

/// Invariants: the cpus of `cores` are disjoint and their union is `cpus`; cores are in the order of hwloc,
/// neighbours stand next to each other; every cpu set is a subset of `cpus`; packages and caches have cpus;
/// at least one core, one package, one NUMA node; distances is empty or numa_nodes.size() squared, row after
/// row.
struct Machine {
  std::string source;  ///< "live", or the file or text it was read from
  CpuSet cpus;         ///< that this process may use
  std::vector<Package> packages;
  std::vector<NumaNode> numa_nodes;
  std::vector<Cache> caches;  ///< data and unified caches, largest level first
  std::vector<Core> cores;
  std::vector<std::uint64_t> distances;  ///< [from * numa_nodes.size() + to], 10 = local by convention

  /// Number of NUMA nodes that are the home of a core, at least 1. The ranks of a node are dealt to these.
  /// Memory without processors and a second memory of the same cores are not counted.
  int numa_nodes_with_cpus() const noexcept;
  /// Size of a cache line in bytes; 64 when the machine does not say.
  int cache_line_bytes() const noexcept;
  /// Size of one cache of the last level in bytes; 0 when the machine does not say.
  std::int64_t last_level_cache_bytes() const noexcept;
  /// Whether the cores are of different kinds.
  bool hybrid() const noexcept;
};

/// The machine this process runs on, restricted to the cpus of its cgroup and of the calling thread's
/// affinity mask, so call it before binding threads. Throws Error when hwloc cannot read the machine.
Machine live_machine();

/// A recorded machine (`lstopo file.xml`). Cpus that were disallowed when it was recorded are left out.
Machine machine_from_xml(const std::string& path);

/// A machine written in hwloc's synthetic format; type names may be shortened ("pack:2 numa:2 core:4 pu:2",
/// also "node" for a NUMA node), and the processing units may be left out. Throws Error showing the accepted
/// form.
Machine machine_from_text(const std::string& text);

/// What `--machine` takes: the name of an existing file, or a text.
Machine machine_from_file_or_text(const std::string& file_or_text);

/// `machine` as a process sees it that may only use `allowed`. All NUMA nodes stay: memory can come from
/// them. Throws Error when no cpu is left.
Machine restricted(const Machine& machine, const CpuSet& allowed);

/// A tree for people, several lines.
std::string describe(const Machine& machine);

/// The same facts as JSON text (one object).
std::string to_json(const Machine& machine);

}  // namespace taihu::topology
