// SPDX-License-Identifier: Apache-2.0
// The collectives of a real MPI program on the simulated chip. Each rank has a node and makes its calls in
// their order, with the time between them that the trace shows. All communicators share the one network. The
// program runs twice: with its collectives in software, and in the routers where that is faster.
#pragma once

#include <string>
#include <vector>

#include "taihu/noc/collectives/costs.h"
#include "taihu/noc/parallel/in_parallel.h"
#include "taihu/noc/workload/trace.h"

namespace taihu::noc {

struct ReplayRow {
  std::string operation;
  std::size_t calls = 0;
  double share = 0;            ///< of the traced program's time (all ranks)
  double waiting = 0;          ///< of it: waiting for the last member
  bool supported = false;      ///< the routers can do it
  double software_cycles = 0;  ///< mean from the last member's call to the last member's end, simulated
  double hardware_cycles = 0;
  double ratio = 1;                  ///< software / hardware over all calls
  std::size_t left_to_software = 0;  ///< calls for which software is faster, or too long to simulate
};

struct ReplayReport {
  std::string parameters;
  int ranks = 0;
  std::size_t communicators = 0, in_routers = 0;  ///< that have simulated calls; that the routers know
  double program_us = 0;                          ///< from the first call to the end of the last, as traced
  double collective_share = 0, waiting_share = 0;
  double software_us = 0, hardware_us = 0;  ///< the same on the chip
  std::vector<ReplayRow> rows;
  double program_speedup() const noexcept { return hardware_us > 0 ? software_us / hardware_us : 1; }
};

struct ReplayConfig {
  int width = 0, height = 0;    ///< 0: the smallest near-square mesh that has a node for every rank
  std::string placed = "S2";    ///< level-1 routers
  std::string places = "rows";  ///< of the ranks, as place_ranks takes them
  double clock_ghz = 2.6;       ///< of the network: what a microsecond of the trace is
};

/// Throws Error, also when the order of the calls is a deadlock.
ReplayReport replay(const std::vector<TracedCall>& calls, const ReplayConfig& config, const Costs& costs,
                    const Progress& progress);
std::string to_text(const ReplayReport& report);

}  // namespace taihu::noc
