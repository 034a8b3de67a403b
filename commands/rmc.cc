// SPDX-License-Identifier: Apache-2.0
// rmc: Monte Carlo transport of neutrons in models of OpenMC's XML format.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "commands/rmc_options.h"
#include "taihu/base/clock.h"
#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/neutron/benchmark/benchmark.h"
#include "taihu/neutron/benchmark/work_folder.h"
#include "taihu/neutron/benchmark/workloads.h"
#include "taihu/neutron/input/read_model.h"
#include "taihu/neutron/input/text_library.h"
#include "taihu/neutron/output/picture.h"
#include "taihu/neutron/run/geometry_check.h"
#include "taihu/neutron/run/run_model.h"
#include "taihu/neutron/storage/hot_vector.h"
#include "taihu/neutron/transport/tracking_choice.h"
#include "taihu/parallel/run_on_ranks.h"
#include "taihu/parallel/shared_error.h"
#include "taihu/parallel/solo_communicator.h"
#include "taihu/parallel/world.h"

namespace {

using namespace taihu;
using namespace taihu::neutron;

Model model_for_run(const Options& options) {
  Model model = read_model(options.model);
  Settings& settings = model.settings;
  check_input(!settings.for_pictures,
              settings.place + "the model has run mode plot; draw it with rmc plot, or change <run_mode>");
  if (options.particles > 0) settings.particles = options.particles;
  if (options.batches > 0) settings.batches = options.batches;
  settings.most_batches = std::max(settings.most_batches, settings.batches);
  if (options.inactive >= 0) settings.inactive = options.inactive;
  if (options.seed > 0) settings.seed = options.seed;
  settings.fission_matrix = options.fission_matrix;
  if (settings.mode == RunMode::fixed_source) settings.inactive = 0;
  if (settings.inactive >= settings.batches)
    throw UsageError(std::to_string(settings.inactive) + " inactive batches of " +
                     std::to_string(settings.batches) + " leave no active one; give a smaller --inactive" +
                     (options.batches > 0 ? " or more --batches" : ""));
  if (options.tracking == "surface") settings.tracking = Tracking::surface;
  if (options.tracking == "delta") settings.tracking = Tracking::delta;
  if (options.tracking == "hybrid") settings.tracking = Tracking::hybrid;
  return model;
}

DomainOptions domain_options(const Options& options) {
  DomainOptions domains;
  for (int axis = 0; axis < 3; ++axis) domains.shape[axis] = options.domains[axis];
  domains.stand = options.fixed_domains;
  domains.move_every = options.move_domains;
  domains.has_box = !options.domain_box.empty();
  for (int axis = 0; axis < 3 && domains.has_box; ++axis) {
    domains.lower[axis] = options.domain_box[axis];
    domains.upper[axis] = options.domain_box[axis + 3];
  }
  return domains;
}

/// Reads the model and everything else that the run needs, on each rank; an error is reported once.
Model prepare(Options& options, parallel::Communicator& ranks) {
  Model model;
  parallel::together(ranks, true, [&] {
    options.run.schedule = parallel::parse_loop_schedule(options.schedule);
    options.run.domains = domain_options(options);
    model = model_for_run(options);
  });
  options.run.resume_from = options.statepoint;
  options.run.statepoint_way =
      options.statepoints == "root" ? StatepointWay::through_root : StatepointWay::parallel;
  options.run.output_folder = !options.output.empty()              ? options.output
                              : model.settings.output_path.empty() ? "."
                                                                   : model.settings.output_path;
  parallel::together(ranks, ranks.is_root(), [&] { make_writable_folder(options.run.output_folder); });
  return model;
}

int run(Options options, parallel::Communicator& ranks) {
  try {
    options.run.started_ns = now_ns();
    set_hot_memory(options.vectors == "plain" ? HotMemory::plain : HotMemory::aligned);
    const Model model = prepare(options, ranks);
    run_model(model, ranks, options.run, [](const std::string& line) {
      std::FILE* stream = line.starts_with("warning: ") ? stderr : stdout;
      std::fprintf(stream, "%s%s\n", stream == stderr ? "rmc: " : "", line.c_str());
      std::fflush(stream);
    });
    return 0;
  } catch (const parallel::SharedError&) {  // on all ranks: the root reports it
    throw;
  } catch (const std::exception& error) {  // on this rank: the others would wait for it
    if (ranks.size() == 1) throw;
    const bool memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
    std::fprintf(stderr, "rmc: %s\n", memory ? "there is not enough memory" : error.what());
    std::fflush(stderr);
    parallel::abort_all_ranks(1);
  }
}

/// Looks for gaps and overlaps in the options' box, or in the one around the sources', or along rays from
/// them.
int check(const Options& options) {
  const Model model = read_model(options.model);
  choose_tracking(model);
  const std::vector<double>& given = options.box;
  const std::optional<Box> box = given.empty()
                                     ? box_of_sources(model)
                                     : Box{{given[0], given[1], given[2]}, {given[3], given[4], given[5]}};
  const GeometryCheck found =
      box ? check_geometry(model.geometry, *box, options.points) : check_along_rays(model, options.points);
  for (const auto& [r, problem] : found.first)
    std::printf("(%.8g, %.8g, %.8g) cm is %s\n", r.x, r.y, r.z, problem.c_str());
  std::printf(
      "%zu surfaces, %zu cells, %zu universes, %zu lattices, %zu materials, %s: "
      "%lld of %lld points are in no cell or in several\n",
      model.geometry.surfaces.size(), model.geometry.cells.size(), model.geometry.universes.size(),
      model.geometry.lattices.size(), model.materials.size(),
      model.nuclear ? "continuous energy" : (std::to_string(model.data.groups()) + " groups").c_str(),
      static_cast<long long>(found.faulty), static_cast<long long>(options.points));
  return found.faulty == 0 ? 0 : 1;
}

int plot(const Options& options) {
  writable_file(options.picture, "--output");
  const Model model = read_model(options.model);
  Slice slice;
  slice.origin = {options.origin[0], options.origin[1], options.origin[2]};
  slice.width = options.width[0];
  slice.height = options.width[1];
  slice.pixels_x = options.pixels[0];
  slice.pixels_y = options.pixels[1];
  slice.horizontal = options.basis[0] - 'x';
  slice.vertical = options.basis[1] - 'x';
  slice.by_material = options.colour == "material";
  std::vector<GeometryFault> faults;
  draw_slice(model, slice, faults).save_png(options.picture);
  for (const GeometryFault& fault : faults)
    std::fprintf(stderr, "rmc: warning: (%.8g, %.8g, %.8g) cm is %s\n", fault.r.x, fault.r.y, fault.r.z,
                 fault.problem.c_str());
  std::printf("picture: %s\n", options.picture.c_str());
  return 0;
}

int convert_library(const Options& options) {
  writable_file(options.target, "");
  write_multigroup_library(options.target, read_text_library(options.library, {}));
  std::printf("library: %s\n", options.target.c_str());
  return 0;
}

int bench(const Options& options, parallel::Communicator& ranks) {
  if (options.benchmark == "vectors") {
    std::printf("heap %s\n", heap_in_use().c_str());
    const std::int64_t particles = options.particles > 0 ? options.particles : 3000;
    const double seconds =
        run_particle_vectors(options.run.threads, parallel::parse_loop_schedule(options.schedule), particles);
    std::printf("seconds %.6f\n", seconds);
    return 0;
  }
  const WorkFolder folder(options.folder, ranks);
  BenchmarkOptions wanted{.program = std::filesystem::read_symlink("/proc/self/exe").string(),
                          .threads = options.run.threads,
                          .repeats = options.repeats,
                          .scale = options.scale,
                          .folder = folder.path(),
                          .ranks = options.ranks,
                          .job = ranks.size() > 1 ? &ranks : nullptr};
  run_benchmark(options.benchmark, wanted, [](const std::string& line) {
    std::puts(line.c_str());
    std::fflush(stdout);
  });
  return 0;
}

int dispatch(int argc, char** argv, parallel::Communicator& ranks) {
  Options options;
  switch (parse_options(argc, argv, options)) {
    case Command::run:
      return run(options, ranks);
    case Command::bench:
      return bench(options, ranks);
    case Command::check:
      return check(options);
    case Command::plot:
      return plot(options);
    case Command::convert_library:
      return convert_library(options);
    case Command::nothing_more:
      return 0;
  }
  return 0;
}

/// Whether the command is one that the ranks of a job run together.
bool runs_as_job(int argc, char** argv) {
  const std::vector<std::string> words(argv + std::min(1, argc), argv + argc);
  if (words.empty()) return false;
  return words[0] == "run" || words[0] == "restart" ||
         (words[0] == "bench" && std::find(words.begin(), words.end(), "restart") != words.end());
}

}  // namespace

int main(int argc, char** argv) {
  const auto join = [&]() -> std::unique_ptr<parallel::Communicator> {
    parallel::become_mpi_program(argv);
    if (parallel::has_mpi() && runs_as_job(argc, argv)) return parallel::open_world(&argc, &argv);
    return std::make_unique<parallel::SoloCommunicator>();
  };
  return parallel::run_on_ranks("rmc", join,
                                [&](parallel::Communicator& ranks) { return dispatch(argc, argv, ranks); });
}
