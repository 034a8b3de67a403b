// SPDX-License-Identifier: Apache-2.0
// Which cpus every rank of a node process and each of its accelerator threads runs on.
//
// All node processes of one operating-system node compute the plan for all ranks of that node and keep the
// part of their own ranks, so that the parts never overlap and the processes need not communicate. Ranks are
// spread evenly over the machine and in order: neighbouring ranks are near each other and fill NUMA nodes one
// after the other.
#pragma once

#include <string>
#include <vector>

#include "taihu/topology/machine.h"

namespace taihu::launch {

enum class BindPolicy {
  automatic,  ///< core when there is a core for every thread; else numa when the ranks fill NUMA nodes
              ///< evenly; else none
  core,  ///< every accelerator thread has a core to itself; the rank itself may use the cores of its threads
  numa,  ///< a rank and its threads stay on one NUMA node
  none   ///< the operating system decides
};

/// "core", "numa", "none", "auto". Throws UsageError for others.
BindPolicy parse_bind_policy(const std::string& text);
std::string to_text(BindPolicy policy);

/// The ranks of a node process among those of its operating-system node.
/// Invariant: 0 <= first, 1 <= ranks, first + ranks <= node_ranks.
struct NodeShare {
  int node_ranks = 1;
  int first = 0;
  int ranks = 1;
};

struct RankBinding {
  topology::CpuSet cpus;                  ///< of the rank's own thread and what it starts; empty: anywhere
  std::vector<topology::CpuSet> threads;  ///< of each accelerator thread; empty sets: anywhere
  int numa_node = -1;  ///< index into Machine::numa_nodes for its memory; -1: not bound to one
};

struct Binding {
  BindPolicy policy = BindPolicy::none;  ///< the one in effect, never automatic
  std::vector<RankBinding> ranks;        ///< of this node process, in order
};

/// Accelerator threads per rank: `wanted`, or when that is 0 an equal share of the cores, at least 1.
int choose_threads(const topology::Machine& machine, int node_ranks, int wanted) noexcept;

/// Plans `threads` accelerator threads for every rank. `machine` must be the same in all node processes of
/// the node. A process that a launcher has already confined to some cpus passes its own ranks as the whole
/// node. Throws UsageError when `policy` is core and there are more threads than cores.
Binding plan_binding(const topology::Machine& machine, const NodeShare& share, int threads,
                     BindPolicy policy);

/// One line per rank for `--report-bindings`; `first_rank` is the global rank of the first.
std::string report(const Binding& binding, const topology::Machine& machine, const std::string& host,
                   int first_rank);

}  // namespace taihu::launch
