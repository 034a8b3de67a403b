// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/benchmark/measure.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/neutron/benchmark/child.h"
#include "taihu/neutron/benchmark/workloads.h"

namespace taihu::neutron {
namespace {

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Waiting threads sleep, so that they take no processor time from the others.
Environment environment_of(const Variant& variant) {
  return {{"LD_PRELOAD", variant.preload}, {"OMP_WAIT_POLICY", "passive"}};
}

long scaled(long count, const BenchmarkOptions& options) {
  return std::max(1L, std::lround(static_cast<double>(count) * options.scale));
}

std::string place(const BenchmarkOptions& options, const std::string& name) {
  return (std::filesystem::path(options.folder) / name).string();
}

std::string schedule_of(const Variant& variant, const Workload& workload, int threads) {
  std::string schedule = variant.schedule;
  const std::size_t at = schedule.find("SHARE");
  if (at != std::string::npos)
    schedule.replace(at, 5, std::to_string(std::max(1L, workload.particles / threads)));
  return schedule;
}

std::vector<std::string> words_of(const Workload& workload, const Variant& variant,
                                  const BenchmarkOptions& options) {
  const std::string schedule = schedule_of(variant, workload, options.threads);
  std::vector<std::string> words{options.program};
  if (workload.folder.empty()) {
    words.insert(words.end(), {"bench", "vectors"});
  } else {
    words.insert(words.end(),
                 {"run", workload.folder, "--batches", std::to_string(workload.inactive + workload.active),
                  "--inactive", std::to_string(workload.inactive), "--vectors", variant.vectors, "-o",
                  place(options, "results")});
  }
  words.insert(words.end(), {"--particles", std::to_string(workload.particles), "--threads",
                             std::to_string(options.threads), "--schedule", schedule});
  return words;
}

std::string last_line(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return "";
  const std::size_t begin = text.rfind('\n', end);
  return text.substr(begin == std::string::npos ? 0 : begin + 1,
                     end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

double seconds_of_run(const Workload& workload, const Variant& variant, const BenchmarkOptions& options) {
  const ChildResult run = run_child(words_of(workload, variant, options), environment_of(variant));
  check_input(run.code == 0, "the run \"" + workload.name + "\" with \"" + variant.name + "\" ended with " +
                                 std::to_string(run.code) + ": " + last_line(run.errors));
  if (workload.folder.empty()) return number_after(run.output, "seconds");
  const double rate = number_after(run.output, "rate (active)");
  check_input(rate > 0, "the run \"" + workload.name + "\" was too short; take a larger --scale");
  return static_cast<double>(workload.particles) * workload.active / rate;
}

std::string heap_with(const std::string& library, const BenchmarkOptions& options) {
  const ChildResult run =
      run_child({options.program, "bench", "vectors", "--particles", "1"}, {{"LD_PRELOAD", library}});
  const std::string name = "heap ";
  const std::size_t at = run.output.find(name);
  if (run.code != 0 || at == std::string::npos) return "";
  const std::size_t begin = at + name.size();
  return run.output.substr(begin, run.output.find('\n', begin) - begin);
}

}  // namespace

Workload c5g7_pins(const BenchmarkOptions& options) {
  write_c5g7(place(options, "pins"), 51);
  return {"C5G7, pin powers", place(options, "pins"), scaled(20000, options), 5, 20};
}

Workload c5g7_fine_mesh(const BenchmarkOptions& options) {
  write_c5g7(place(options, "mesh"), 1000);
  return {"C5G7, 10^6 mesh cells", place(options, "mesh"), scaled(20000, options), 5, 20};
}

Workload chains(const BenchmarkOptions& options) {
  write_chains(place(options, "chains"));
  return {"fission chains", place(options, "chains"), scaled(1000, options), 0, 40};
}

Workload particle_vectors(const BenchmarkOptions& options) {
  return {"vectors of particles", "", scaled(3000, options), 0, 0};
}

std::vector<double> measure(const Workload& workload, const std::vector<Variant>& variants,
                            const BenchmarkOptions& options) {
  std::vector<std::vector<double>> seconds(variants.size());
  for (int repeat = 0; repeat < options.repeats; ++repeat)
    for (std::size_t i = 0; i < variants.size(); ++i)
      seconds[i].push_back(seconds_of_run(workload, variants[i], options));
  std::vector<double> medians;
  for (std::vector<double>& list : seconds) {
    std::sort(list.begin(), list.end());
    medians.push_back(0.5 * (list[(list.size() - 1) / 2] + list[list.size() / 2]));
  }
  return medians;
}

bool heap_is_there(const std::string& library, const BenchmarkOptions& options) {
  const std::string stem = library.substr(0, library.find(".so"));
  return std::filesystem::path(heap_with(library, options)).filename().string().starts_with(stem);
}

std::string own_heap(const BenchmarkOptions& options) {
  return heap_with("", options);
}

}  // namespace taihu::neutron
