// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/report/tables.h"

#include <algorithm>

#include "taihu/base/clock.h"
#include "taihu/base/formatted.h"

namespace taihu::amg {

std::string level_table(const std::vector<LevelReport>& levels) {
  std::string table = "level          rows       entries  entries/row\n";
  double rows = 0, entries = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    const LevelReport& level = levels[l];
    table +=
        formatted("%5zu  %12lld  %12lld  %11.1f%s\n", l, static_cast<long long>(level.rows),
                  static_cast<long long>(level.entries),
                  static_cast<double>(level.entries) / std::max<double>(1, static_cast<double>(level.rows)),
                  level.replicated ? "  on every rank" : "");
    rows += static_cast<double>(level.rows);
    entries += static_cast<double>(level.entries);
  }
  const auto& finest = levels.front();
  return table + formatted("grid complexity %.3f, operator complexity %.3f\n",
                           rows / static_cast<double>(finest.rows),
                           entries / static_cast<double>(finest.entries));
}

std::string why_not_converged(const SolveResult& result, const SolveOptions& options) {
  if (!result.breakdown.empty())
    return result.breakdown + formatted(" (after %d iterations)", result.iterations);
  return formatted("no convergence to %g in %d iterations; the residual is %.3e", options.tolerance,
                   result.iterations, result.residual);
}

std::string convergence_table(const std::vector<double>& history) {
  std::string table = "iteration   residual   reduction\n";
  for (std::size_t i = 0; i < history.size(); ++i) {
    table += formatted("%9zu  %9.3e", i, history[i]);
    table += i > 0 ? formatted("  %10.3f\n", history[i] / history[i - 1]) : "\n";
  }
  return table;
}

std::string profile_table(const Profile& profile) {
  std::string table = "  seconds   calls  step\n";
  for (const Profile::Step& step : profile.steps())
    table += formatted("%9.4f  %6lld  %s\n", static_cast<double>(step.ns) * 1e-9,
                       static_cast<long long>(step.calls), step.name);
  return table;
}

double measure_bandwidth(const Context& context, std::size_t bytes) {
  const Partition partition =
      Partition::even(static_cast<LocalIndex>(bytes / 2 / sizeof(double)), context.team.size());
  Array<double> x(context.storage, part_ends(partition)), y(context.storage, part_ends(partition));
  double best = 0;
  for (int pass = 0; pass < 6; ++pass) {
    const auto start = now_ns();
    context.team.run(partition, [&](LocalIndex begin, LocalIndex end, int) {
      for (LocalIndex i = begin; i < end; ++i) {
        if (pass == 0)
          x[i] = y[i] = 0;
        else
          y[i] += 0.5 * x[i];
      }
    });
    const double seconds = static_cast<double>(now_ns() - start) * 1e-9;
    if (pass > 0) best = std::max(best, 3.0 * sizeof(double) * partition.rows() / seconds);
  }
  return best;
}

}  // namespace taihu::amg
