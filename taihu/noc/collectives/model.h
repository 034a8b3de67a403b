// SPDX-License-Identifier: Apache-2.0
// Closed forms: packet hops (table 2 of Lu et al. 2017) and latencies (table 3), as printed and as they
// should be. The corrected latency of a collective without other traffic follows packets through the tree's
// level-1 routers with the pipeline of README.md; the simulator agrees with it to the cycle as long as
// packets do not queue for each other.
#pragma once

#include <string>
#include <vector>

#include "taihu/noc/collectives/cores.h"

namespace taihu::noc {

// --- hops: packets over links between routers ---

/// Every contribution of the tree, combined in its level-1 routers.
int reduce_hops(const Mesh& mesh, const Tree& tree);
/// Every contribution once to the root by itself ("no optimisation" in table 2).
int flat_hops(const Mesh& mesh, const Tree& tree);
/// Links of the tree.
int broadcast_hops(const Mesh& mesh, const Tree& tree);
/// As reduce, but behind the first level-1 router nothing is combined.
int gather_hops(const Mesh& mesh, const Tree& tree);
/// Binomial tree over members in the order of their numbers.
int binomial_hops(const Mesh& mesh, const std::vector<int>& members, int root);

/// Table 2 as printed, for n x n: strategy 0 is "no optimisation". NaN where the table has no value.
double table2(Collective collective, int strategy, int n);

// --- latencies ---

/// Symbols of table 3 in cycles: `transfer` k T_i (a packet over one link), `compute` k T_c, `append` k T_g,
/// `fetch` T_f, `software` a, `software_compute` k T_c on a core.
struct Table3Terms {
  double transfer = 0, compute = 0, append = 0, fetch = 0, software = 0, software_compute = 0;
};
Table3Terms table3_terms(const MachineConfig& config, std::size_t bytes);
/// Table 3 as printed, strategy 0: software. NaN where the table has no value.
double table3(Collective collective, int strategy, int n, const Table3Terms& terms);

/// Cycles of a collective in the routers, at zero load, from the call of all members to the end of the last
/// one.
Cycle predict_hardware(const MachineConfig& config, const Tree& tree, const Operation& operation);
/// Cycles in software without contention and with the distances of the mesh left out: the paper's way of
/// counting.
Cycle predict_software(const MachineConfig& config, int members, const Operation& operation);

/// A message between cores, alone in the network: from the call until the receiver has taken it.
Cycle message_cycles(const MachineConfig& config, int from, int to, std::size_t bytes);

}  // namespace taihu::noc
