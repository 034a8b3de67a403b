// SPDX-License-Identifier: Apache-2.0
// Measures four optimisations of a reactor Monte Carlo code, each switched on and off in runs of this
// program, and all of them together: the heap, the schedule of the loop over histories, aligned arrays,
// restart files written by all ranks. Source of the optimisations and of the figures "paper": Xu et al., RMC.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taihu/parallel/communicator.h"

namespace taihu::neutron {

struct BenchmarkOptions {
  std::string program;  ///< the path of this program
  int threads = 2, repeats = 3;
  double scale = 1;    ///< times the usual numbers of neutrons
  std::string folder;  ///< for models and results
  int ranks = 4;       ///< of restart, as threads of this process
  parallel::Communicator* job =
      nullptr;  ///< of restart, instead of threads: the ranks of the job that this process is part of
};

/// Names of the benchmarks, "all" last.
const std::vector<std::string>& benchmark_names();

/// Runs benchmark `name` and prints its table. Throws Error.
void run_benchmark(const std::string& name, const BenchmarkOptions& options,
                   const std::function<void(const std::string&)>& print);

}  // namespace taihu::neutron
