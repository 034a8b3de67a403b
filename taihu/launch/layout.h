// SPDX-License-Identifier: Apache-2.0
// The layout of a job: its ranks, node processes, operating-system nodes and scopes. Plain data, the same on
// every node process.
#pragma once

#include <string>
#include <vector>

namespace taihu::launch {

/// Process scopes from the widest to the narrowest. The values agree with m_scope_t in abi/parallelc.h.
enum class Scope : int { all = 0, snode = 1, bnode = 2, node = 3 };

/// The sizes that the user asked for; 0 means "choose from the topology".
struct ScopeSizes {
  int snode = 0;
  int bnode = 0;
  int node = 0;
};

/// Where a node process runs, as the process reports when the job starts.
struct Host {
  std::string name;              ///< host name (or its stand-in with `--emulate-nodes`)
  std::string network_position;  ///< path of switches, root first, '/'-separated; empty when unknown
  int numa_nodes = 1;            ///< with cores of this process's cpuset
};

/// Ranks are dealt to node processes in contiguous blocks, the first `ranks % processes` get one more.
///
/// Invariants: first_rank.size() == processes + 1, first_rank.back() == ranks; every scope group is a
/// contiguous block of `size` ranks starting at a multiple of it; node | bnode | snode | ranks; a bnode lies
/// inside one operating-system node.
struct Layout {
  int ranks = 0;  ///< with spare ones
  int processes = 0;
  std::vector<int> first_rank;          ///< process k hosts ranks first_rank[k] .. first_rank[k+1]-1
  std::vector<int> node_of_process;     ///< index of the operating-system node of each process
  std::vector<std::string> node_names;  ///< of operating-system nodes, by index
  ScopeSizes sizes;                     ///< all chosen
  int spare_ranks = 0;  ///< the last numbers, in the last process: of ranks that may start while the job runs

  int process_of(int rank) const noexcept;
  /// Ranks that start with the job; the others are spare.
  int first_ranks() const noexcept { return ranks - spare_ranks; }
  /// Number of members of `scope`.
  int size(Scope scope) const noexcept;
  /// First global rank of the group of `rank`.
  int group_start(Scope scope, int rank) const noexcept { return rank - rank % size(scope); }
};

/// Deals `ranks` to the processes on `hosts` (one entry per process, in process order) and chooses the
/// scopes. Default sizes: bnode = the largest size that divides the number of ranks of every operating-system
/// node; node = the largest that divides bnode and the number of ranks per NUMA node; snode = the largest
/// multiple of bnode that divides the number of ranks under every leaf switch, or all ranks when no position
/// is known. Throws UsageError naming the offending pair when given sizes do not nest, or when ranks <
/// processes.
Layout make_layout(int ranks, const std::vector<Host>& hosts, ScopeSizes wanted);

/// Numbers behind all others for ranks of MPI that may be started while the job runs. Scopes know nothing of
/// them. Once.
void add_spare_ranks(Layout& layout, int count);

}  // namespace taihu::launch
