// SPDX-License-Identifier: Apache-2.0
#include "commands/rmc_options.h"

#include "taihu/base/program_options.h"
#include "taihu/neutron/benchmark/benchmark.h"
#include "taihu/parallel/team.h"

namespace taihu::neutron {
namespace {

// As in a model.
constexpr std::int64_t most_particles = (std::int64_t{1} << 40) - 1;
constexpr int most_batches = 100'000'000;

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
  // Short names are OpenMC's, whose Python package starts programs with them.
  command.add_option("-s,--threads", options.run.threads, "threads of each rank")
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
  command.add_option("-n,--particles", options.particles, "neutrons per generation instead of the model's")
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
  CLI::Option* domains =
      command
          .add_option("--domains", options.domains,
                      "split space, and the memory of mesh tallies, into\nthat many domains "
                      "along each axis; needs as many ranks")
          ->expected(3)
          ->check(CLI::Range(1, 100000).description(""))
          ->type_name("X Y Z");
  command
      .add_option("--domain-box", options.domain_box,
                  "the box that domains cut evenly, in cm; default:\nfrom the model's boundaries")
      ->expected(6)
      ->type_name("X Y Z X Y Z")
      ->needs(domains);
  CLI::Option* move =
      command.add_option("--move-domains", options.move_domains, "move domains after every N batches, too")
          ->check(CLI::PositiveNumber.description(""))
          ->type_name("N")
          ->needs(domains);
  command.add_flag("--fixed-domains", options.fixed_domains, "domains do not move to share the work evenly")
      ->needs(domains)
      ->excludes(move);
}

void add_view_options(CLI::App& command, Options& options) {
  command.add_option("--origin", options.origin, "centre in cm")->expected(3)->type_name("X Y Z");
  command.add_option("--width", options.width, "width and height in cm")
      ->expected(2)
      ->check(CLI::Range(1e-6, 1e9).description(""))
      ->type_name("W H");
}

/// "-.5" would be taken for an option.
std::vector<std::string> with_leading_zeros(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  for (std::string& word : words)
    if (word.starts_with("-.") && word.size() > 2 && word[2] >= '0' && word[2] <= '9') word.insert(1, "0");
  return words;
}

}  // namespace

Command parse_options(int argc, char** argv, Options& options) {
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
  restart_command->add_option("-r,--from", options.statepoint, "the statepoint")
      ->required()
      ->type_name("FILE");
  run_command->add_option("-r", options.statepoint, "continue from a statepoint, as restart does")
      ->type_name("FILE");
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
  library_command->add_option("TEXT.json", options.library, "JSON library")->required()->type_name("FILE");
  library_command->add_option("LIBRARY.h5", options.target, "HDF5 library to write")
      ->required()
      ->type_name("FILE");
  std::vector<std::string> words = with_leading_zeros(argc, argv);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  if (!parse_command_line(app, argc, pointers.data())) return Command::nothing_more;
  if (*run_command || *restart_command) return Command::run;
  if (*bench_command) return Command::bench;
  if (*check_command) return Command::check;
  if (*plot_command) return Command::plot;
  return Command::convert_library;
}

}  // namespace taihu::neutron
