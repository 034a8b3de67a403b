// SPDX-License-Identifier: Apache-2.0
// Collective calls of real MPI programs (`marun --trace-collectives FILE`: one line of JSON per collective)
// on the simulated chip: which share of a program's time they are, and what routers that do them would give.
#pragma once

#include <string>
#include <vector>

#include "taihu/noc/costs.h"
#include "taihu/noc/operation.h"
#include "taihu/noc/run.h"

namespace taihu::noc {

/// One line of a trace.
struct TracedCall {
  std::string operation;  ///< "MPI_Allreduce"
  int size = 0;           ///< of the communicator
  int root = -1;
  std::size_t bytes = 0;            ///< the largest of any member
  double begin_us = 0, end_us = 0;  ///< first member in, last member out
  double rank_us = 0;               ///< time of all members inside
  double waiting_us = 0;            ///< of it, until the last member has come
  int ranks = 0;
};

/// Throws Error with file and line when a line is not what marun writes.
std::vector<TracedCall> read_trace(const std::string& path);
std::vector<TracedCall> parse_trace(const std::string& text, const std::string& path);

struct ReplayRow {
  std::string operation;
  std::size_t calls = 0;
  double share = 0;            ///< of the program's time (all ranks)
  double waiting = 0;          ///< of the program's time: waiting for the last member
  bool supported = false;      ///< the routers can do it
  double software_cycles = 0;  ///< mean per call, simulated
  double hardware_cycles = 0;
  double ratio = 1;                  ///< software / hardware over all calls
  std::size_t left_to_software = 0;  ///< calls for which software is faster, or too long to simulate
};

struct ReplayReport {
  std::string parameters;
  int ranks = 0;
  double program_us = 0;
  double collective_share = 0, waiting_share = 0;
  std::vector<ReplayRow> rows;
  /// When what a call takes after its last member has come is divided by the call's ratio; no network makes
  /// members come earlier.
  double program_speedup = 1;
};

struct ReplayConfig {
  int width = 0, height = 0;  ///< 0: the smallest near-square mesh that has a node for every rank
  std::string placed = "S2";
};

ReplayReport replay(const std::vector<TracedCall>& calls, const ReplayConfig& config, const Costs& costs,
                    const Progress& progress);
std::string to_text(const ReplayReport& report);

}  // namespace taihu::noc
