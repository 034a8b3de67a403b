// SPDX-License-Identifier: Apache-2.0
// What software costs, in cycles of the network's clock. There are two named sets, always to be reported
// together:
//
// paper2017: the accounting of Lu et al. 2017. A message costs its sender `a`; cores pay nothing to start a
// collective in the routers; only the root of an allreduce pays for its broadcast. The paper does not print
// its values; these (a 680, restart 440, fetch 0.28 a, arithmetic unit not pipelined, software arithmetic
// free) reproduce most of its ratios.
//
// fair: a core that uses the routers pays for a send and a receive as for any message. With this project's
// MPI a message of 8 bytes between two ranks of one node process takes 70 ns one way in a common cache at 2.6
// GHz, or 182 cycles, half of them at either end. Software sums a word in a cycle, and its trees know the
// mesh.
#pragma once

#include <string>

namespace taihu::noc {

struct Costs {
  std::string name = "fair";
  int send = 91;              ///< `a`: preparing a message, at its sender
  int receive = 91;           ///< taking a message in
  int word = 1;               ///< software arithmetic on 8 bytes
  int hardware_send = 91;     ///< handing a contribution or a broadcast to the routers
  int hardware_receive = 91;  ///< taking its result from them
  int restart = 91;           ///< allreduce: from the result at the root to the broadcast
  int fetch = 91;             ///< gather: taking one packet at the root
  bool pipelined = true;      ///< arithmetic unit of the routers
  /// Software's allreduce is a reduce and a broadcast, of any length.
  bool allreduce_as_two = false;
  bool trees_know_mesh = true;  ///< software's partners are near each other, not by their numbers
};

Costs paper2017_costs();
Costs fair_costs();
/// "paper2017" or "fair"; throws Error for others.
Costs costs_named(const std::string& name);

}  // namespace taihu::noc
