// SPDX-License-Identifier: Apache-2.0
// nocsim: simulates a network on chip whose routers do MPI collectives.
#include <algorithm>
#include <cstdio>

#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/base/program.h"
#include "taihu/base/program_options.h"
#include "taihu/noc/collectives/search.h"
#include "taihu/noc/output/charts.h"
#include "taihu/noc/reproduction/reproduce.h"
#include "taihu/noc/validation/validate.h"
#include "taihu/noc/validation/validate_sweep.h"
#include "taihu/noc/workload/replay.h"
#include "taihu/noc/workload/run.h"

namespace {

using namespace taihu;
using namespace taihu::noc;

struct Options {
  std::string file, out, parameters = "fair";
  ReplayConfig replay;
  std::vector<double> loads;
  int size = 8, lines = 3, bytes = 16;
  int sweep = 0;
  std::uint64_t seed = 1;
  bool json = false, quick = false;
};

void do_run(const Options& options) {
  const RunReport report = run_config(read_config(options.file));
  std::fputs((options.json ? to_json(report) : to_text(report)).c_str(), stdout);
}

void do_sweep(const Options& options) {
  const RunConfig config = read_config(options.file);
  check_input(config.has_traffic, options.file + ":1: traffic: missing; a sweep needs [traffic]");
  std::vector<double> loads = options.loads.empty() ? config.loads : options.loads;
  if (loads.empty())
    for (int step = 1; step <= 20; ++step) loads.push_back(0.02 * step);
  const std::string table = options.out + "/sweep.csv", picture = options.out + "/sweep.png";
  if (!options.out.empty()) {
    make_writable_folder(options.out);
    for (const std::string& file : {table, picture}) writable_file(file, "--out");
  }
  const std::vector<LoadPoint> points = sweep(config, loads, progress_on_terminal());
  std::string csv = load_header();
  for (const LoadPoint& point : points) csv += to_csv(point);
  std::fputs(csv.c_str(), stdout);
  if (options.out.empty()) return;
  write_file(table, csv);
  Series curve{to_text(config.traffic.pattern), {}};
  for (const LoadPoint& point : points) curve.points.emplace_back(point.offered, point.mean);
  curves("latency over load", "offered flits per node and cycle", "cycles", {curve},
         4 * mean_zero_load_latency(config.machine.network, config.traffic))
      .save_png(picture);
}

int do_validate(const Options& options) {
  if (options.sweep > 0) {
    const std::vector<SweepRow> rows = validate_sweep(options.sweep, options.seed, progress_on_terminal());
    std::fputs(to_text(rows).c_str(), stdout);
    return std::all_of(rows.begin(), rows.end(), [](const SweepRow& row) { return row.agrees(); }) ? 0 : 1;
  }
  NetworkConfig network;
  MeasureConfig times{4000, 4000, 20000};
  if (options.quick) times = {1000, 4000, 10000};
  const std::vector<int> sizes = options.quick ? std::vector<int>{4} : std::vector<int>{4, 8, 16};
  if (!options.out.empty()) make_writable_folder(options.out);
  const Validation validation = validate(network, sizes, times, options.quick, progress_on_terminal());
  std::fputs(to_text(validation).c_str(), stdout);
  if (!options.out.empty()) write_validation(validation, options.out);
  const int saturations = options.quick ? 0 : validation.saturation_deviations();
  return validation.faults + validation.deviations() + saturations == 0 ? 0 : 1;
}

void do_model(const Options& options) {
  for (const char* parameters : {"paper2017", "fair"})
    std::printf("%s\n",
                model_tables(options.size, static_cast<std::size_t>(options.bytes), parameters).c_str());
}

void do_replay(const Options& options) {
  const std::vector<TracedCall> calls = read_trace(options.file);
  for (const char* parameters : {"paper2017", "fair"}) {
    const ReplayReport report =
        replay(calls, options.replay, costs_named(parameters), progress_on_terminal());
    std::printf("%s\n", to_text(report).c_str());
  }
}

void do_reproduce(const Options& options) {
  make_writable_folder(options.out);
  std::fputs(reproduce(options.out, progress_on_terminal()).c_str(), stdout);
}

void do_place(const Options& options) {
  MachineConfig config;
  config.network.mesh = Mesh(options.size, options.size, false, Routing::yx);
  config.tree_root = middle_node(config.network.mesh);
  config.costs = costs_named(options.parameters);
  const auto results = search_placements(config, options.lines, static_cast<std::size_t>(options.bytes));
  std::printf(
      "rows of level-1 routers that no other choice beats in cycles, hops and number (%s, root %d, %d "
      "bytes):\n%s",
      config.network.mesh.describe().c_str(), config.tree_root, options.bytes,
      to_text(undominated(results)).c_str());
}

/// Adds the commands; returns what the chosen one does.
std::function<int()> parse(CLI::App& app, Options& options) {
  auto action = std::make_shared<std::function<int()>>();
  const auto command = [&](const char* name, const char* text, auto function) {
    CLI::App* each = app.add_subcommand(name, text);
    each->callback([action, function, &options] {
      *action = [function, &options] {
        if constexpr (std::is_same_v<decltype(function(options)), int>)
          return function(options);
        else
          return function(options), 0;
      };
    });
    return each;
  };
  CLI::App* run = command("run", "simulate the configuration in FILE", do_run);
  run->add_option("FILE", options.file, "configuration (TOML)")->required();
  run->add_flag("--json", options.json, "the report as JSON");
  CLI::App* sweep = command("sweep", "latency over load for the traffic of FILE", do_sweep);
  sweep->add_option("FILE", options.file, "configuration (TOML)")->required();
  sweep->add_option("--loads", options.loads, "flits per node and cycle")
      ->check(CLI::Range(0.0001, 1.0))
      ->delimiter(',');
  sweep->add_option("--out", options.out, "folder for sweep.csv and sweep.png");
  CLI::App* validate =
      command("validate", "check the plain network against its laws; latency curves", do_validate);
  validate->add_option("--out", options.out, "folder for latency.csv and pictures");
  validate->add_flag("--quick", options.quick, "4x4 only, short runs");
  validate
      ->add_option("--sweep", options.sweep,
                   "compare this many random configurations with BookSim; 50 by default")
      ->expected(0, 1)
      ->default_str("50")
      ->check(CLI::Range(1, stored_configurations()));
  validate->add_option("--seed", options.seed, "draws the configurations of --sweep");
  CLI::App* model = command("model", "tables 2 and 3 of the paper, as printed and corrected", do_model);
  model->add_option("-n,--size", options.size, "rows and columns")->check(CLI::Range(2, 64));
  model->add_option("--bytes", options.bytes, "data of a member")->check(CLI::Range(1, 64));
  CLI::App* replay =
      command("replay", "collectives of an MPI program (marun --trace-collectives) on the chip", do_replay);
  replay->add_option("TRACE", options.file, "trace")->required();
  replay->add_option("--width", options.replay.width, "columns of the mesh")->check(CLI::Range(1, 128));
  replay->add_option("--height", options.replay.height, "rows of the mesh")->check(CLI::Range(1, 128));
  replay->add_option("--placement", options.replay.placed, "level-1 routers")
      ->check(CLI::IsMember({"S1", "S2", "S3", "all", "none"}));
  replay->add_option("--places", options.replay.places,
                     "nodes of the ranks: rows, columns, snake, random, or a list such as 0,5,10");
  replay->add_option("--clock", options.replay.clock_ghz, "of the network, GHz")
      ->check(CLI::Range(0.01, 100.0));
  CLI::App* reproduce =
      command("reproduce", "every figure and table of section 4 of the paper", do_reproduce);
  reproduce->add_option("--out", options.out, "folder for CSV and PNG files")->required();
  CLI::App* place = command("place", "search rows of level-1 routers better than the paper's", do_place);
  place->add_option("-n,--size", options.size, "rows and columns")->check(CLI::Range(2, 64));
  place->add_option("--rows", options.lines, "level-1 rows at most")->check(CLI::Range(1, 8));
  place->add_option("--bytes", options.bytes, "data of a member")->check(CLI::Range(8, 64));
  place->add_option("--parameters", options.parameters, "parameter set")
      ->check(CLI::IsMember({"paper2017", "fair"}));
  app.require_subcommand(1);
  return [action] { return (*action)(); };
}

}  // namespace

int main(int argc, char** argv) {
  return taihu::run_program("nocsim", [&] {
    CLI::App app("Simulates a network on chip whose routers do MPI collectives", "nocsim");
    app.set_version_flag("--version", "nocsim " TAIHU_VERSION);
    Options options;
    const auto action = parse(app, options);
    return taihu::parse_command_line(app, argc, argv) ? action() : 0;
  });
}
