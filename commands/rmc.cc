// SPDX-License-Identifier: Apache-2.0
// rmc: Monte Carlo transport of neutrons in models of OpenMC's XML format.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/base/program_options.h"
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

// As in a model.
constexpr std::int64_t most_particles = (std::int64_t{1} << 40) - 1;
constexpr int most_batches = 100'000'000;

struct Options {
  std::string model = ".", vectors = "aligned", benchmark = "all", tracking, schedule = "dynamic,64",
              statepoints = "parallel", statepoint, output, library, target;
  std::int64_t particles = 0, points = 100000;
  int batches = 0, inactive = -1;
  std::uint64_t seed = 0;
  RunOptions run;
  Slice slice;
  std::string basis = "xy", colour = "material", picture = "plot.png";
  std::vector<double> origin{0, 0, 0}, width{10, 10}, box;
  std::vector<int> pixels{800, 800}, domains{1, 1, 1};
  std::vector<double> domain_box;
  bool fission_matrix = false, fixed_domains = false;
  int move_domains = 0;
  int repeats = 3;
  double scale = 1;
  int ranks = 4;
  std::string folder;
};

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
    throw UsageError("--inactive has to be less than the number of batches");
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
    if (options.domains == std::vector{1, 1, 1} &&
        (!options.domain_box.empty() || options.fixed_domains || options.move_domains > 0))
      throw UsageError("--domain-box, --fixed-domains and --move-domains go with --domains");
    if (options.fixed_domains && options.move_domains > 0)
      throw UsageError("--fixed-domains and --move-domains contradict each other; leave one of them out");
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

void add_bench_options(CLI::App& command, Options& options) {
  std::vector<std::string> names = benchmark_names();
  names.emplace_back("vectors");
  command
      .add_option("benchmark", options.benchmark,
                  "heap, schedule, alignment, restart, or all; vectors:\nonly the kernel that allocates, in "
                  "this process")
      ->check(CLI::IsMember(names).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  command.add_option("--threads", options.run.threads, "threads of the runs")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--repeats", options.repeats, "runs of each kind")
      ->check(CLI::Range(1, 1000).description(""))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--scale", options.scale, "times the usual numbers of neutrons")
      ->check(CLI::Range(0.001, 1000.0).description(""))
      ->type_name("X")
      ->capture_default_str();
  command.add_option("--ranks", options.ranks, "of restart, as threads; in an MPI job its ranks")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
  command.add_option("--folder", options.folder, "where files are written while it runs; default: TMPDIR")
      ->type_name("DIR");
  command.add_option("--particles", options.particles, "of vectors")
      ->check(CLI::Range(std::int64_t{1}, most_particles).description(""))
      ->type_name("N");
  command.add_option("--schedule", options.schedule, "of vectors")->type_name("KIND,N");
}

void add_run_options(CLI::App& command, Options& options) {
  command.add_option("--threads", options.run.threads, "threads of each rank")
      ->check(CLI::Range(1, 4096).description(""))
      ->type_name("N");
  command
      .add_option("--tracking", options.tracking,
                  "surface, delta, or hybrid: for each flight the cheaper\none; default: hybrid, unless a "
                  "tally needs track\nlengths or currents")
      ->check(CLI::IsMember({"surface", "delta", "hybrid"}).description(""))
      ->type_name("METHOD");
  command
      .add_option("--schedule", options.schedule,
                  "static, dynamic,N or guided,N: how threads\nshare histories")
      ->type_name("KIND,N")
      ->capture_default_str();
  command
      .add_option("--vectors", options.vectors,
                  "aligned: hot arrays at cache lines and large pages;\nplain: where the heap puts them")
      ->check(CLI::IsMember({"aligned", "plain"}).description(""))
      ->type_name("WHERE")
      ->capture_default_str();
  command.add_option("--particles", options.particles, "neutrons per generation instead of the model's")
      ->check(CLI::Range(std::int64_t{1}, most_particles).description(""))
      ->type_name("N");
  command.add_option("--batches", options.batches, "batches instead of the model's")
      ->check(CLI::Range(1, most_batches).description(""))
      ->type_name("N");
  command.add_option("--inactive", options.inactive, "inactive batches instead of the model's")
      ->check(CLI::Range(0, most_batches).description(""))
      ->type_name("N");
  command.add_option("--seed", options.seed, "seed instead of the model's")
      ->check(CLI::Range(std::uint64_t{1}, UINT64_MAX).description(""))
      ->type_name("N");
  command.add_flag("--fission-matrix", options.fission_matrix,
                   "accelerate the source's convergence in inactive\nbatches, on the model's entropy mesh");
  command.add_option("-o,--output", options.output, "folder of the results")->type_name("DIR");
  command
      .add_option("--statepoint-every", options.run.statepoint_every,
                  "also write a statepoint every N batches")
      ->check(CLI::Range(1, most_batches).description(""))
      ->type_name("N");
  command
      .add_option(
          "--statepoints", options.statepoints,
          "parallel: all ranks write and read them together;\nroot: one gathers and writes everything")
      ->check(CLI::IsMember({"parallel", "root"}).description(""))
      ->type_name("HOW")
      ->capture_default_str();
  command.add_flag(
      "--all-tallies", options.run.all_tallies,
      "write tallies of more than 10^6 values into\ntallies.out, too; the statepoint has them all");
  command
      .add_option("--domains", options.domains,
                  "split space, and the memory of mesh tallies, into\nthat many domains along each axis; "
                  "needs as many ranks")
      ->expected(3)
      ->check(CLI::Range(1, 100000).description(""))
      ->type_name("X Y Z");
  command
      .add_option("--domain-box", options.domain_box,
                  "the box that domains cut evenly, in cm; default:\nfrom the model's boundaries")
      ->expected(6)
      ->type_name("X Y Z X Y Z");
  command.add_option("--move-domains", options.move_domains, "move domains after every N batches, too")
      ->check(CLI::PositiveNumber.description(""))
      ->type_name("N");
  command.add_flag("--fixed-domains", options.fixed_domains, "domains do not move to share the work evenly");
}

void add_view_options(CLI::App& command, Options& options) {
  command.add_option("--origin", options.origin, "centre in cm")->expected(3)->type_name("X Y Z");
  command.add_option("--width", options.width, "width and height in cm")->expected(2)->type_name("W H");
}

/// "-.5" would be taken for an option.
std::vector<std::string> with_leading_zeros(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  for (std::string& word : words)
    if (word.starts_with("-.") && word.size() > 2 && word[2] >= '0' && word[2] <= '9') word.insert(1, "0");
  return words;
}

int dispatch(int argc, char** argv, parallel::Communicator& ranks) {
  Options options;
  options.run.threads = parallel::default_threads();
  CLI::App app("Monte Carlo transport of neutrons", "rmc");
  app.set_version_flag("--version", "rmc " TAIHU_VERSION);
  app.require_subcommand(1);
  CLI::App* run_command = app.add_subcommand("run", "run a model");
  CLI::App* restart_command = app.add_subcommand("restart", "continue from a statepoint");
  CLI::App* check_command = app.add_subcommand("check", "read a model and look for gaps and overlaps");
  CLI::App* plot_command = app.add_subcommand("plot", "draw a slice of the geometry");
  CLI::App* library_command = app.add_subcommand("library", "make an HDF5 library from a JSON one");
  CLI::App* bench_command = app.add_subcommand("bench", "measure what optimisations bring");
  for (CLI::App* command : {run_command, restart_command, check_command, plot_command})
    command->add_option("model", options.model, "folder or model.xml")
        ->type_name("MODEL")
        ->capture_default_str();
  add_run_options(*run_command, options);
  add_run_options(*restart_command, options);
  add_bench_options(*bench_command, options);
  restart_command->add_option("--from", options.statepoint, "the statepoint")->required()->type_name("FILE");
  check_command
      ->add_option(
          "--box", options.box,
          "where to look, in cm; default: the boxes of\nthe sources, or else along rays from the sources")
      ->expected(6)
      ->type_name("X Y Z X Y Z");
  check_command->add_option("--points", options.points, "points to try")
      ->type_name("N")
      ->capture_default_str();
  add_view_options(*plot_command, options);
  plot_command->add_option("--basis", options.basis, "axes to the right and up")
      ->check(CLI::IsMember({"xy", "xz", "yz", "yx", "zx", "zy"}).description(""))
      ->type_name("AXES")
      ->capture_default_str();
  plot_command->add_option("--color", options.colour, "what has one colour: material or cell")
      ->check(CLI::IsMember({"material", "cell"}).description(""))
      ->type_name("WHAT")
      ->capture_default_str();
  plot_command->add_option("--pixels", options.pixels, "size of the picture")
      ->expected(2)
      ->check(CLI::Range(1, 20000).description(""))
      ->type_name("W H");
  plot_command->add_option("-o,--output", options.picture, "the picture")
      ->type_name("FILE")
      ->capture_default_str();
  library_command->add_option("text", options.library, "JSON library")->required()->type_name("JSON");
  library_command->add_option("target", options.target, "HDF5 library to write")->required()->type_name("H5");
  std::vector<std::string> words = with_leading_zeros(argc, argv);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  if (!parse_command_line(app, argc, pointers.data())) return 0;
  if (*run_command || *restart_command) return run(options, ranks);
  if (*bench_command) return bench(options, ranks);
  if (*check_command) return check(options);
  if (*plot_command) return plot(options);
  return convert_library(options);
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
