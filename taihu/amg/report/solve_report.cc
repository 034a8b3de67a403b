// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/report/solve_report.h"

#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "taihu/amg/report/tables.h"
#include "taihu/base/formatted.h"

namespace taihu::amg {
namespace {

/// Peak memory of the process, with all ranks that run in it.
double process_peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * static_cast<double>(usage.ru_maxrss);
}

const char* precision_of(const Solver& solver) {
  return solver.preconditioner().single() ? "single" : "double";
}

const char* plural(int count) {
  return count == 1 ? "" : "s";
}

nlohmann::ordered_json traffic(const Solver& solver, const std::vector<LevelReport>& levels) {
  const std::size_t method = solver.iteration_bytes() - solver.preconditioner().cycle_bytes();
  auto all = nlohmann::ordered_json::array();
  for (const LevelReport& level : levels) {
    const bool finest = &level == levels.data();
    all.push_back({{"rows", level.rows},
                   {"matrix", level.cycle.matrix + (finest ? solver.system_bytes() : 0)},
                   {"prolongation", level.cycle.prolongation},
                   {"restriction", level.cycle.restriction},
                   {"vectors", level.cycle.vectors + (finest ? method - solver.system_bytes() : 0)},
                   {"runs", level.cycle.runs + (finest ? 3 : 0)}});
  }
  return all;
}

}  // namespace

std::string result_text(const Context& context, const Solver& solver, const SolveResult& result,
                        const SolveTimes& times) {
  const auto levels = solver.preconditioner().report();
  const int ranks = context.communicator.size(), threads = context.team.size();
  std::string text =
      formatted("%lld rows, %lld entries, %d rank%s with %d thread%s\n",
                static_cast<long long>(levels[0].rows), static_cast<long long>(levels[0].entries), ranks,
                plural(ranks), threads, plural(threads)) +
      convergence_table(result.history);
  for (const std::string& note : result.notes) text += "chosen: " + note + "\n";
  return text + formatted("%s after %d iterations, residual %.3e; input %.3f s, setup %.3f s, solve %.3f s\n",
                          result.converged ? "converged" : "not converged", result.iterations,
                          result.residual, times.input, times.setup, times.solve);
}

std::string performance_text(const Context& context, const Solver& solver, const SolveResult& result,
                             const SolveTimes& times) {
  std::string text =
      "\n" + level_table(solver.preconditioner().report()) + "\n" + profile_table(*context.profile) + "\n";
  // Measured before the arrays of the bandwidth test are allocated.
  const double peak = static_cast<double>(context.storage.peak_bytes()), process = process_peak_bytes();
  const double bandwidth = measure_bandwidth(context, std::size_t{128} << 20);
  const double moved = static_cast<double>(solver.iteration_bytes()) * std::max(1, result.iterations);
  text +=
      formatted("hierarchy in %s precision, memory of the solver %.0f MB (peak), of the process %.0f MB\n",
                precision_of(solver), peak * 1e-6, process * 1e-6);
  text += formatted("cycle: matrices and vectors of %.1f MB; iteration of pcg: %.1f MB on rank 0\n",
                    static_cast<double>(solver.preconditioner().cycle_bytes()) * 1e-6,
                    static_cast<double>(solver.iteration_bytes()) * 1e-6);
  if (context.storage.is_placing()) {
    const Storage::Pages pages = context.storage.placed_pages();
    text += formatted("placement: %zu of %zu pages of what cycles read are on the node of their thread\n",
                      pages.local, pages.local + pages.remote + pages.unknown);
  }
  return text +
         formatted("bandwidth: %.1f GB/s moved while solving, %.1f GB/s measured on large arrays: %.0f%%\n",
                   moved / times.solve * 1e-9, bandwidth * 1e-9, 100 * moved / times.solve / bandwidth);
}

std::string json_of(const Context& context, const Solver& solver, const SolveResult& result,
                    const SolveTimes& times) {
  const auto levels = solver.preconditioner().report();
  double entries = 0, rows = 0;
  for (const LevelReport& level : levels) {
    entries += static_cast<double>(level.entries);
    rows += static_cast<double>(level.rows);
  }
  const nlohmann::ordered_json json{{"rows", levels[0].rows},
                                    {"entries", levels[0].entries},
                                    {"ranks", context.communicator.size()},
                                    {"threads", context.team.size()},
                                    {"input", times.input},
                                    {"setup", times.setup},
                                    {"solve", times.solve},
                                    {"iterations", result.iterations},
                                    {"residual", result.residual},
                                    {"converged", result.converged},
                                    {"levels", levels.size()},
                                    {"grid_complexity", rows / static_cast<double>(levels[0].rows)},
                                    {"operator_complexity", entries / static_cast<double>(levels[0].entries)},
                                    {"precision", precision_of(solver)},
                                    {"iteration_bytes", solver.iteration_bytes()},
                                    {"peak_bytes", context.storage.peak_bytes()},
                                    {"process_peak_bytes", static_cast<std::int64_t>(process_peak_bytes())},
                                    {"traffic", traffic(solver, levels)},
                                    {"chosen", result.notes}};
  return json.dump() + "\n";
}

}  // namespace taihu::amg
