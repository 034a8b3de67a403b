// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/benchmark/benchmark.h"

#include <algorithm>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/neutron/benchmark/measure.h"
#include "taihu/neutron/benchmark/restart.h"

namespace taihu::neutron {
namespace {

using Print = std::function<void(const std::string&)>;

const Variant ours{.name = "as installed"};

std::string header(const std::string& first, const std::vector<std::string>& columns) {
  std::string line = formatted("%-24s", first.c_str());
  for (const std::string& column : columns) line += formatted(" %14s", column.c_str());
  return line;
}

/// Measures all workloads and prints a table: the seconds of the first variant, and the ratio of the others
/// to it.
void print_table(const std::vector<Workload>& workloads, const std::vector<Variant>& variants,
                 const BenchmarkOptions& options, const Print& print) {
  std::vector<std::string> columns;
  for (const Variant& variant : variants) columns.push_back(variant.name);
  print(header("", columns));
  for (const Workload& workload : workloads) {
    const std::vector<double> seconds = measure(workload, variants, options);
    std::string line = formatted("%-24s %12.3f s", workload.name.c_str(), seconds[0]);
    for (std::size_t i = 1; i < seconds.size(); ++i) line += formatted(" %14.3f", seconds[i] / seconds[0]);
    print(line);
  }
}

void say_what(const std::string& what, const BenchmarkOptions& options, const Print& print) {
  print(formatted(
      "%s; %d threads, medians of %d runs in turns. First column: seconds; others: their time / the first's",
      what.c_str(), options.threads, options.repeats));
}

void check_own_heap(const BenchmarkOptions& options) {
  const std::string heap = own_heap(options);
  check_input(heap.find("libtaihu_heap") != std::string::npos,
              "this rmc was built without Taihu's heap (malloc is in " + heap + "); nothing to compare");
}

void bench_heap(const BenchmarkOptions& options, const Print& print) {
  check_own_heap(options);
  say_what("Heaps", options, print);
  std::vector<Variant> variants{{.name = "taihu"}};
  const std::vector<std::pair<std::string, std::string>> others{{"glibc", "libc.so.6"},
                                                                {"tcmalloc", "libtcmalloc_minimal.so.4"},
                                                                {"jemalloc", "libjemalloc.so.2"},
                                                                {"mimalloc", "libmimalloc.so.2"}};
  for (const auto& [name, library] : others) {
    if (heap_is_there(library, options))
      variants.push_back({.name = name, .preload = library});
    else
      print(library + " is not installed: " + name + " is left out");
  }
  print_table({c5g7_pins(options), c5g7_fine_mesh(options), particle_vectors(options)}, variants, options,
              print);
  print("paper (12 * 10^6 cells, 2 * 10^6 particles): its heap 671.4 s; glibc 1.166, TCMalloc 1.018");
}

void bench_schedule(const BenchmarkOptions& options, const Print& print) {
  say_what("Schedules", options, print);
  print_table({c5g7_pins(options), chains(options), particle_vectors(options)},
              {{.name = "dynamic,64"},
               {.name = "dynamic,1", .schedule = "dynamic,1"},
               {.name = "guided,1", .schedule = "guided,1"},
               {.name = "guided,100", .schedule = "guided,100"},
               {.name = "guided,n/t", .schedule = "guided,SHARE"},
               {.name = "static", .schedule = "static"}},
              options, print);
  print(
      "paper: guided,n/t 252.4 s; guided,1, guided,100 and dynamic,1 234.1 to 238.5 s: a ratio of 1.058 to "
      "1.078");
}

void bench_alignment(const BenchmarkOptions& options, const Print& print) {
  say_what("Arrays at cache lines and large pages, or as malloc gives them", options, print);
  print_table({c5g7_pins(options), c5g7_fine_mesh(options), chains(options)},
              {{.name = "aligned"}, {.name = "plain", .vectors = "plain"}}, options, print);
  print("paper: 1.018");
}

void bench_all(const BenchmarkOptions& options, const Print& print) {
  check_own_heap(options);
  const std::vector<Variant> variants{
      ours,
      {.name = "glibc's heap", .preload = "libc.so.6"},
      {.name = "guided,n/threads", .schedule = "guided,SHARE"},
      {.name = "plain vectors", .vectors = "plain"},
      {.name = "all off", .preload = "libc.so.6", .schedule = "guided,SHARE", .vectors = "plain"}};
  const std::vector<std::string> paper{"", "1.166", "1.058 - 1.078", "1.018", "1.264"};
  const std::vector<Workload> workloads{c5g7_pins(options), c5g7_fine_mesh(options), chains(options),
                                        particle_vectors(options)};
  print(formatted("Time without an optimisation / time with all; %d threads, medians of %d runs in turns",
                  options.threads, options.repeats));
  std::vector<std::vector<double>> seconds;
  std::vector<std::string> columns{"paper"};
  std::string first = formatted("%-24s %14s", "seconds with all", "");
  for (const Workload& workload : workloads) {
    columns.push_back(workload.name);
    seconds.push_back(measure(workload, variants, options));
    first += formatted(" %22.3f", seconds.back()[0]);
  }
  std::string head = formatted("%-24s %14s", "", "paper");
  for (const Workload& workload : workloads) head += formatted(" %22s", workload.name.c_str());
  print(head);
  print(first);
  for (std::size_t i = 1; i < variants.size(); ++i) {
    std::string line = formatted("%-24s %14s", variants[i].name.c_str(), paper[i].c_str());
    for (std::size_t j = 0; j < workloads.size(); ++j) {
      const bool nothing = workloads[j].folder.empty() && i == 3;  // it has no such vectors
      line += nothing ? formatted(" %22s", "-") : formatted(" %22.3f", seconds[j][i] / seconds[j][0]);
    }
    print(line);
  }
  bench_restart(options, print);
}

struct Named {
  const char* name;
  void (*run)(const BenchmarkOptions&, const Print&);
};
constexpr Named benchmarks[] = {{"heap", bench_heap},
                                {"schedule", bench_schedule},
                                {"alignment", bench_alignment},
                                {"restart", bench_restart},
                                {"all", bench_all}};

}  // namespace

const std::vector<std::string>& benchmark_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Named& named : benchmarks) list.emplace_back(named.name);
    return list;
  }();
  return names;
}

void run_benchmark(const std::string& name, const BenchmarkOptions& options, const Print& print) {
  for (const Named& named : benchmarks)
    if (named.name == name) return named.run(options, print);
  throw UsageError("there is no benchmark " + name);
}

}  // namespace taihu::neutron
