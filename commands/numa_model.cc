// SPDX-License-Identifier: Apache-2.0
// numa-model: predicts the time of a memory-bound solve with and without naalloc on a machine described in a
// file, and measures the machine that it runs on into such a file.
#include <cstdio>
#include <string>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/base/input_file.h"
#include "taihu/base/program.h"
#include "taihu/base/program_options.h"
#include "taihu/base/units.h"
#include "taihu/memory/placement/page_system.h"
#include "taihu/model/numa_measurement.h"
#include "taihu/model/numa_prediction.h"
#include "taihu/topology/machine.h"

namespace {

using namespace taihu;
using model::NumaTraffic;

struct Options {
  std::string machine, report, without, bytes, hierarchy;
  std::vector<int> threads;
  model::NumaSolve solve;
  double unplaced = 0, scale = 1;
  bool json = false, measure = false;
};

NumaTraffic read_report(const std::string& name, const model::NumaMachine& machine) {
  return model::traffic_of_report(read_file(name), name, machine.nodes());
}

std::vector<model::NumaPrediction> predictions(const Options& options, const model::NumaMachine& machine) {
  if (options.report.empty())
    return model::predict_even(machine, static_cast<double>(size_option(options.bytes, "--bytes")),
                               options.threads, options.unplaced, options.solve);
  const NumaTraffic with = read_report(options.report, machine);
  const NumaTraffic without =
      options.without.empty() ? model::touched_by_first_thread(with) : read_report(options.without, machine);
  return {model::predict(machine, without, with, options.solve)};
}

std::string prediction_of_hierarchy(const Options& options, const model::NumaMachine& machine) {
  const model::HierarchyTraffic hierarchy =
      model::scaled(model::parse_hierarchy(read_file(options.hierarchy), options.hierarchy), options.scale);
  const double share = options.solve.stream_share;
  const auto lines = model::predict(machine, hierarchy, options.threads, share);
  return options.json ? json_of(machine, hierarchy, share, lines) + "\n"
                      : text_of(machine, hierarchy, share, lines);
}

std::string prediction(const Options& options, const model::NumaMachine& machine) {
  if (!options.hierarchy.empty()) return prediction_of_hierarchy(options, machine);
  const auto lines = predictions(options, machine);
  return options.json ? json_of(machine, options.solve, options.unplaced, lines) + "\n"
                      : text_of(machine, options.solve, lines);
}

void declare(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "numa-model " TAIHU_VERSION);
  app.add_option("--machine", options.machine, "JSON file with the rates of memories, links and cores")
      ->type_name("FILE");
  app.add_flag(
      "--measure", options.measure,
      "instead of all others: measure the machine that this runs on and print such a file;\n--bytes: "
      "what each thread reads (default twice the last level of cache, at least 64 MB)");
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

void check_measurement(const Options& options) {
  if (!options.machine.empty() || !options.report.empty() || !options.without.empty() ||
      !options.hierarchy.empty() || !options.threads.empty() || options.json)
    throw UsageError("--measure goes with --bytes alone; its output is a file for --machine");
}

void check(const Options& options) {
  if (options.machine.empty()) throw UsageError("give --machine FILE, or --measure to make one");
  const auto given = [](const std::string& option) { return option.empty() ? 0 : 1; };
  if (given(options.report) + given(options.bytes) + given(options.hierarchy) != 1)
    throw UsageError("give --report FILE, or --bytes SIZE or --hierarchy FILE with --threads N");
  if (options.report.empty() && options.threads.empty())
    throw UsageError("--bytes and --hierarchy need --threads");
  if (!options.report.empty() && !options.threads.empty())
    throw UsageError("--threads goes with --bytes and --hierarchy; a report has its own");
  if (options.hierarchy.empty() && options.scale != 1) throw UsageError("--scale goes with --hierarchy");
  if (!options.hierarchy.empty() && options.solve.sweeps != 1)
    throw UsageError("--sweeps does not go with --hierarchy, which knows");
  if (options.bytes.empty() && options.unplaced != 0)
    throw UsageError("--unplaced goes with --bytes; a report knows");
  if (!options.without.empty() && options.report.empty()) throw UsageError("--without goes with --report");
}

/// Progress goes to the terminal's other stream, so that the output can go to a file.
std::string measured_machine(const Options& options) {
  model::NumaMeasurement measurement;
  if (!options.bytes.empty()) {
    const std::int64_t bytes = size_option(options.bytes, "--bytes");
    if (bytes < 1 << 16) throw UsageError("--bytes is too small to take the time of; give 64K or more");
    measurement.bytes_per_thread = static_cast<std::size_t>(bytes);
  }
  measurement.progress = [](const std::string& step) {
    std::fprintf(stderr, "numa-model: %s\n", step.c_str());
  };
  return json_of(
      model::measure_numa_machine(topology::live_machine(), measurement, memory::live_page_system()),
      "measured by numa-model --measure");
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Predicts the time of a memory-bound solve with and without naalloc", "numa-model");
  declare(app, options);
  if (!parse_command_line(app, argc, argv)) return 0;
  if (options.measure) {
    check_measurement(options);
    std::fputs(measured_machine(options).c_str(), stdout);
    return 0;
  }
  check(options);
  const model::NumaMachine machine = model::read_numa_machine(options.machine);
  std::fputs(prediction(options, machine).c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return taihu::run_program("numa-model", [&] { return run(argc, argv); });
}
