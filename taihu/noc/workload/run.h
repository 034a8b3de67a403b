// SPDX-License-Identifier: Apache-2.0
// Carries out what a configuration says. Nothing here prints; reports come back as data and as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "taihu/noc/parallel/in_parallel.h"
#include "taihu/noc/workload/config.h"

namespace taihu::noc {

struct OperationReport {
  std::string parameters, collective, communicator, arithmetic;
  std::size_t bytes = 0;
  int repeats = 0;
  bool by_hardware = false;
  Cycle least = 0, most = 0;
  double mean = 0;
  Cycle predicted = 0;  ///< closed form for one alone
};

struct RunReport {
  std::vector<OperationReport> operations;
  std::optional<LoadPoint> load;       ///< of a run with ordinary traffic only
  std::vector<Cycle> learning_cycles;  ///< per communicator
  std::vector<bool> in_hardware;       ///< per communicator: the routers know it
  double background_latency = 0;
  std::uint64_t background_packets = 0;
  std::uint64_t packet_hops = 0, flit_hops = 0, buffer_reads = 0, unit_words = 0;
  double busiest_link = 0;  ///< share of cycles
  int reorder_packets = 0;  ///< packets parked in one router at most (fixed order)
  Cycle cycles = 0;
  double energy_pj = 0;  ///< 0: no energies given
};

/// Throws Error, also when a result differs from the sequential reference.
RunReport run_config(const RunConfig& config);
std::string to_text(const RunReport& report);
std::string to_json(const RunReport& report);

/// One point per load; runs on all cores.
std::vector<LoadPoint> sweep(const RunConfig& config, const std::vector<double>& loads,
                             const Progress& progress);

}  // namespace taihu::noc
