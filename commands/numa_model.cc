// SPDX-License-Identifier: Apache-2.0
// numa-model: predicts the time of a memory-bound solve with and without naalloc on a machine described in a
// file.
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/base/program.h"
#include "taihu/base/program_options.h"
#include "taihu/base/units.h"
#include "taihu/model/numa_hierarchy.h"
#include "taihu/model/numa_time.h"

namespace {

using namespace taihu;
using model::NumaTraffic;

struct Options {
  std::string machine, report, without, bytes, hierarchy;
  std::vector<int> threads;
  model::NumaSolve solve;
  double unplaced = 0, scale = 1;
  bool json = false;
};

/// One line of the result.
struct Prediction {
  int threads;
  double bytes;
  model::NumaTime without, with;
  double gain() const { return without.seconds / with.seconds - 1; }
};

std::string read_file(const std::string& name) {
  std::ifstream in(name);
  if (!in) throw system_error("cannot read " + name, errno);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

NumaTraffic read_report(const std::string& name, const model::NumaMachine& machine) {
  return model::traffic_of_report(read_file(name), name, machine.nodes());
}

Prediction predict(const model::NumaMachine& machine, const NumaTraffic& without, const NumaTraffic& with,
                   const Options& options) {
  return {static_cast<int>(with.home.size()), with.total(), model::numa_time(machine, without, options.solve),
          model::numa_time(machine, with, options.solve)};
}

std::vector<Prediction> predictions(const Options& options, const model::NumaMachine& machine) {
  std::vector<Prediction> result;
  if (!options.report.empty()) {
    const NumaTraffic with = read_report(options.report, machine);
    const NumaTraffic without = options.without.empty() ? model::touched_by_first_thread(with)
                                                        : read_report(options.without, machine);
    result.push_back(predict(machine, without, with, options));
    return result;
  }
  const auto bytes = static_cast<double>(parse_bytes(options.bytes, "--bytes"));
  for (const int threads : options.threads) {
    const NumaTraffic even = model::even_traffic(bytes, threads, machine.nodes(), machine.cores_per_node);
    const NumaTraffic with = model::partly_unplaced(even, options.unplaced);
    result.push_back(predict(machine, model::touched_by_first_thread(even), with, options));
  }
  return result;
}

void print_text(const model::NumaMachine& machine, const Options& options,
                const std::vector<Prediction>& lines) {
  std::printf("simulated: %s, %d nodes; %g sweeps, streaming share %g\n", machine.name.c_str(),
              machine.nodes(), options.solve.sweeps, options.solve.stream_share);
  std::printf("%8s %12s %12s %8s  %-34s %s\n", "threads", "without s", "with s", "gain", "without waits for",
              "with waits for");
  for (const Prediction& line : lines)
    std::printf("%8d %12.6f %12.6f %7.1f%%  %-34s %s\n", line.threads, line.without.seconds,
                line.with.seconds, 100 * line.gain(), line.without.limit.c_str(), line.with.limit.c_str());
}

void print_json(const model::NumaMachine& machine, const Options& options,
                const std::vector<Prediction>& lines) {
  nlohmann::ordered_json json{{"simulated", true},
                              {"machine", machine.name},
                              {"sweeps", options.solve.sweeps},
                              {"stream_share", options.solve.stream_share},
                              {"unplaced", options.unplaced}};
  for (const Prediction& line : lines)
    json["predictions"].push_back({{"threads", line.threads},
                                   {"bytes", line.bytes},
                                   {"without_s", line.without.seconds},
                                   {"with_s", line.with.seconds},
                                   {"gain", line.gain()},
                                   {"without_waits_for", line.without.limit},
                                   {"with_waits_for", line.with.limit}});
  std::printf("%s\n", json.dump(2).c_str());
}

/// One line of what a multigrid solver takes.
struct HierarchyPrediction {
  int threads;
  model::NumaTime nothing, operators, everything;
  double gain(const model::NumaTime& placed) const { return nothing.seconds / placed.seconds - 1; }
};

std::vector<HierarchyPrediction> predictions(const Options& options, const model::NumaMachine& machine,
                                             const model::HierarchyTraffic& hierarchy) {
  std::vector<HierarchyPrediction> lines;
  for (const int threads : options.threads) {
    const auto time = [&](model::Placed placed) {
      return model::hierarchy_time(machine, hierarchy, threads, placed);
    };
    lines.push_back({threads, time(model::Placed::nothing), time(model::Placed::matrix_and_prolongation),
                     time(model::Placed::everything)});
  }
  return lines;
}

void print_text(const model::NumaMachine& machine, const model::HierarchyTraffic& hierarchy,
                const std::vector<HierarchyPrediction>& lines) {
  std::printf("simulated: %s, %d nodes; %zu levels, %g iterations; A and P are %.0f%% of the bytes moved\n",
              machine.name.c_str(), machine.nodes(), hierarchy.levels.size(), hierarchy.iterations,
              100 * hierarchy.operator_share());
  std::printf("%8s %12s %12s %8s %12s %8s  %s\n", "threads", "without s", "A and P s", "gain", "all placed s",
              "gain", "without waits for");
  for (const HierarchyPrediction& line : lines)
    std::printf("%8d %12.6f %12.6f %7.1f%% %12.6f %7.1f%%  %s\n", line.threads, line.nothing.seconds,
                line.operators.seconds, 100 * line.gain(line.operators), line.everything.seconds,
                100 * line.gain(line.everything), line.nothing.limit.c_str());
}

void print_json(const model::NumaMachine& machine, const model::HierarchyTraffic& hierarchy,
                const std::vector<HierarchyPrediction>& lines) {
  nlohmann::ordered_json json{{"simulated", true},
                              {"machine", machine.name},
                              {"iterations", hierarchy.iterations},
                              {"operator_share", hierarchy.operator_share()}};
  for (const HierarchyPrediction& line : lines)
    json["predictions"].push_back({{"threads", line.threads},
                                   {"without_s", line.nothing.seconds},
                                   {"matrix_and_prolongation_s", line.operators.seconds},
                                   {"matrix_and_prolongation_gain", line.gain(line.operators)},
                                   {"everything_s", line.everything.seconds},
                                   {"everything_gain", line.gain(line.everything)},
                                   {"without_waits_for", line.nothing.limit}});
  std::printf("%s\n", json.dump(2).c_str());
}

void predict_hierarchy(const Options& options, const model::NumaMachine& machine) {
  const model::HierarchyTraffic hierarchy =
      model::scaled(model::parse_hierarchy(read_file(options.hierarchy), options.hierarchy), options.scale);
  const std::vector<HierarchyPrediction> lines = predictions(options, machine, hierarchy);
  if (options.json)
    print_json(machine, hierarchy, lines);
  else
    print_text(machine, hierarchy, lines);
}

void declare(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "numa-model " TAIHU_VERSION);
  app.add_option("--machine", options.machine, "JSON file with the rates of memories, links and cores")
      ->type_name("FILE")
      ->required();
  app.add_option("--report", options.report,
                 "report of naalloc (narun --json): where the pages are with naalloc")
      ->type_name("FILE");
  app.add_option("--without", options.without,
                 "report of the same program without naalloc (narun --place none);\nwithout it: all pages on "
                 "the node of "
                 "thread 0, as after a serial set-up")
      ->type_name("FILE");
  app.add_option("--bytes", options.bytes, "instead of reports: this much data in equal parts")
      ->type_name("SIZE");
  app.add_option(
         "--hierarchy", options.hierarchy,
         "instead of reports: what amgsolve --json prints; with nothing placed,\nwith A and P, and with "
         "everything")
      ->type_name("FILE");
  app.add_option("--scale", options.scale, "with --hierarchy: for so many times as many rows (default 1)")
      ->type_name("F");
  app.add_option("--threads", options.threads,
                 "with --bytes or --hierarchy: numbers of threads, which fill node after node")
      ->type_name("N,N,...")
      ->delimiter(',');
  app.add_option(
         "--unplaced", options.unplaced,
         "with --bytes: share of the data that naalloc is not used for,\non the node of thread 0 (default 0)")
      ->type_name("U");
  app.add_option("--sweeps", options.solve.sweeps, "how often the data are read (default 1)")->type_name("N");
  app.add_option("--stream-share", options.solve.stream_share,
                 "share of a one-thread solve that reads these data (default 1)")
      ->type_name("F");
  app.add_flag("--json", options.json, "print JSON");
}

void check(const Options& options) {
  const auto given = [](const std::string& option) { return option.empty() ? 0 : 1; };
  if (given(options.report) + given(options.bytes) + given(options.hierarchy) != 1)
    throw UsageError("give --report FILE, or --bytes SIZE or --hierarchy FILE with --threads N");
  if (options.report.empty() && options.threads.empty())
    throw UsageError("--bytes and --hierarchy need --threads");
  if (!options.report.empty() && !options.threads.empty())
    throw UsageError("--threads goes with --bytes and --hierarchy; a report has its own");
  if (options.hierarchy.empty() && options.scale != 1) throw UsageError("--scale goes with --hierarchy");
  if (!options.hierarchy.empty() && (options.solve.sweeps != 1 || options.solve.stream_share != 1))
    throw UsageError("--sweeps and --stream-share do not go with --hierarchy, which knows");
  if (options.bytes.empty() && options.unplaced != 0)
    throw UsageError("--unplaced goes with --bytes; a report knows");
  if (!options.without.empty() && options.report.empty()) throw UsageError("--without goes with --report");
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Predicts the time of a memory-bound solve with and without naalloc", "numa-model");
  declare(app, options);
  if (!parse_command_line(app, argc, argv)) return 0;
  check(options);
  const model::NumaMachine machine = model::read_numa_machine(options.machine);
  if (!options.hierarchy.empty()) {
    predict_hierarchy(options, machine);
    return 0;
  }
  const std::vector<Prediction> lines = predictions(options, machine);
  if (options.json)
    print_json(machine, options, lines);
  else
    print_text(machine, options, lines);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return taihu::run_program("numa-model", [&] { return run(argc, argv); });
}
