// SPDX-License-Identifier: Apache-2.0
// A run of the program: batches with a line of progress each, statepoints, results, pictures, times.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "taihu/neutron/output/statepoint.h"
#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

struct RunOptions {
  std::string output_folder = ".";
  int threads = 1;
  parallel::LoopSchedule schedule;
  DomainOptions domains;
  std::string resume_from;   ///< statepoint to go on from; empty: from the start
  int statepoint_every = 0;  ///< batches; 0: only at the end and where the model says
  StatepointWay statepoint_way = StatepointWay::parallel;
  bool write_files = true;
  bool all_tallies = false;  ///< as text, however many values they have
  bool show_batches = true;
  /// When the work on the run began (now_ns() of base/clock.h), so that reading the model counts as
  /// initialization; 0: with run_model().
  std::int64_t started_ns = 0;
};

/// The result of a run.
struct RunResult {
  Estimate k;                ///< combined estimate; eigenvalue only
  double inactive_rate = 0;  ///< source neutrons per second
  double active_rate = 0;
  std::int64_t lost = 0;
};

/// Runs `model`. Collective. `print` gets finished lines on the root, nothing elsewhere. Throws Error.
RunResult run_model(const Model& model, parallel::Communicator& ranks, const RunOptions& options,
                    const std::function<void(const std::string&)>& print);

}  // namespace taihu::neutron
