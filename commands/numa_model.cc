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
#include "taihu/model/numa_time.h"

namespace {

using namespace taihu;
using model::NumaTraffic;

struct Options {
  std::string machine, report, without, bytes;
  std::vector<int> threads;
  model::NumaSolve solve;
  double unplaced = 0;
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
  app.add_option("--threads", options.threads, "with --bytes: numbers of threads, which fill node after node")
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
  if (options.report.empty() == options.bytes.empty())
    throw UsageError("give --report FILE, or --bytes SIZE with --threads N");
  if (!options.bytes.empty() && options.threads.empty()) throw UsageError("--bytes needs --threads");
  if (options.bytes.empty() && !options.threads.empty())
    throw UsageError("--threads goes with --bytes; a report has its own");
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
  (options.json ? print_json : print_text)(machine, options, predictions(options, machine));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return taihu::run_program("numa-model", [&] { return run(argc, argv); });
}
