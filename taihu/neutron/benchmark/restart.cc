// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/benchmark/restart.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "taihu/neutron/benchmark/restart_speed.h"
#include "taihu/neutron/benchmark/workloads.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/parallel/shared_error.h"
#include "taihu/parallel/solo_communicator.h"
#include "taihu/parallel/thread_communicator.h"

namespace taihu::neutron {
namespace {

RestartSpeed measure_on(parallel::Communicator& ranks, const BenchmarkOptions& options) {
  const std::string place = (std::filesystem::path(options.folder) / "restart").string();
  const int cells = std::max(10, static_cast<int>(std::lround(1000 * std::sqrt(options.scale))));
  parallel::together(ranks, ranks.is_root(), [&] { write_c5g7(place, cells); });
  Model model;
  std::unique_ptr<Simulation> simulation;
  parallel::together(ranks, true, [&] {
    model = read_model(place);
    model.settings.particles = std::max(100L, std::lround(20000 * options.scale));
    model.settings.batches = 2;
    model.settings.inactive = 0;
    // A slice of the model for each rank, as in a run whose tallies fill the memory: no rank has all bins.
    simulation = std::make_unique<Simulation>(model, ranks, 1, parallel::LoopSchedule{},
                                              DomainOptions{.shape = {1, ranks.size(), 1}});
  });
  simulation->run_batch();
  return measure_restart(*simulation, {.folder = options.folder, .repeats = options.repeats});
}

}  // namespace

void bench_restart(const BenchmarkOptions& options, const std::function<void(const std::string&)>& print) {
  RestartSpeed speed;
  if (options.job != nullptr) {
    speed = measure_on(*options.job, options);
    if (!options.job->is_root()) return;
  } else {
    std::unique_ptr<parallel::SharedError> failure;
    parallel::run_ranks(options.ranks, [&](parallel::Communicator& ranks) {
      try {
        RestartSpeed found = measure_on(ranks, options);
        if (ranks.is_root()) speed = found;
      } catch (const parallel::SharedError& error) {
        if (ranks.is_root()) failure = std::make_unique<parallel::SharedError>(error);
      }
    });
    if (failure) throw parallel::SharedError(*failure);
  }
  for (const std::string& line : lines_of(speed)) print(line);
}

}  // namespace taihu::neutron
