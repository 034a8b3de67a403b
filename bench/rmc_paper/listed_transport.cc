// SPDX-License-Identifier: Apache-2.0
// A model of rmc run on lists. Prints what the benchmark reads: one name and its values in each line.
#include <omp.h>

#include <cstdio>
#include <memory>

#include "bench/rmc_paper/restart_file.h"
#include "taihu/base/clock.h"
#include "taihu/base/program_options.h"
#include "taihu/neutron/benchmark/workloads.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/parallel/loop.h"
#include "taihu/parallel/run_on_ranks.h"
#include "taihu/parallel/shared_error.h"
#include "taihu/parallel/world.h"

namespace {

using namespace taihu;

struct Options {
  std::string folder, library, schedule = "dynamic,64", restart, way = "parallel";
  listed::RunOptions run;
};

void set_openmp_schedule(const std::string& text) {
  const parallel::LoopSchedule schedule = parallel::parse_loop_schedule(text);
  using Kind = parallel::LoopSchedule::Kind;
  const omp_sched_t kind = schedule.kind == Kind::fixed     ? omp_sched_static
                           : schedule.kind == Kind::dynamic ? omp_sched_dynamic
                                                            : omp_sched_guided;
  omp_set_dynamic(0);
  omp_set_schedule(kind, schedule.chunk);
}

void print(const listed::Result& result) {
  const auto per_history = [&](std::int64_t count) {
    return static_cast<double>(count) / static_cast<double>(result.histories);
  };
  std::printf("heap %s\nk %.6f %.6f\nseconds %.6f\n", neutron::heap_in_use().c_str(), result.k,
              result.deviation, result.seconds);
  std::printf("flights %.1f\nblocks %.1f\nbytes %.0f\nhuge %lld\n", per_history(result.flights),
              per_history(result.allocations.blocks), per_history(result.allocations.bytes),
              static_cast<long long>(result.allocations.huge_blocks));
}

int run(const Options& options, parallel::Communicator& ranks) {
  std::unique_ptr<listed::Run> run;
  neutron::Model source;
  listed::Model model;
  set_openmp_schedule(options.schedule);
  parallel::together(ranks, true, [&] {
    if (options.run.inactive >= options.run.batches)
      throw UsageError("--inactive has to be less than the number of batches");
    source = neutron::read_model(options.folder);
    model = listed::listed_model(source, options.library);
    run = std::make_unique<listed::Run>(model, source, ranks, options.run);
  });
  const listed::Result result = run->run();
  if (ranks.is_root()) print(result);
  if (options.restart.empty()) return 0;
  ranks.all(0);
  const std::int64_t start = now_ns();
  listed::write_restart(
      *run, options.restart,
      options.way == "root" ? listed::RestartWay::through_root : listed::RestartWay::parallel);
  if (ranks.is_root()) {
    std::printf("restart %.6f\n", static_cast<double>(now_ns() - start) * 1e-9);
    std::printf("contents %016llx\n",
                static_cast<unsigned long long>(listed::contents_of_restart(*run, options.restart)));
  }
  return 0;
}

int dispatch(int argc, char** argv, parallel::Communicator& ranks) {
  Options options;
  CLI::App app("A multi-group model of rmc run on vectors of vectors", "listed_transport");
  app.add_option("model", options.folder, "folder or model.xml")->required()->type_name("MODEL");
  app.add_option("library", options.library, "JSON library of its materials")->required()->type_name("JSON");
  app.add_option("--threads", options.run.threads, "of each rank")
      ->check(CLI::Range(1, 4096).description(""));
  app.add_option("--schedule", options.schedule, "of OpenMP: static, dynamic,N or guided,N");
  app.add_option("--particles", options.run.particles, "per generation")
      ->check(CLI::PositiveNumber.description(""));
  app.add_option("--batches", options.run.batches, "generations")->check(CLI::PositiveNumber.description(""));
  app.add_option("--inactive", options.run.inactive, "of them")
      ->check(CLI::NonNegativeNumber.description(""));
  app.add_option("--seed", options.run.seed, "of the random numbers")
      ->check(CLI::PositiveNumber.description(""));
  app.add_option("--restart", options.restart, "write this restart file at the end")->type_name("FILE");
  app.add_option("--way", options.way, "how: parallel, by all ranks; or root, gathered there")
      ->check(CLI::IsMember({"parallel", "root"}).description(""));
  if (!parse_command_line(app, argc, argv)) return 0;
  return run(options, ranks);
}

}  // namespace

int main(int argc, char** argv) {
  return parallel::run_on_ranks(
      "listed_transport", [&] { return parallel::open_world(&argc, &argv); },
      [&](parallel::Communicator& ranks) { return dispatch(argc, argv, ranks); });
}
