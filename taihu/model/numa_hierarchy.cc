// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/numa_hierarchy.h"

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "taihu/base/error.h"

namespace taihu::model {
namespace {

using nlohmann::json;

double operators(const LevelTraffic& level) {
  return level.matrix + level.prolongation;
}

double bytes(const LevelTraffic& level) {
  return operators(level) + level.restriction + level.vectors;
}

double placed_share(const LevelTraffic& level, Placed placed) {
  if (placed == Placed::everything) return 1;
  return placed == Placed::nothing || bytes(level) == 0 ? 0 : operators(level) / bytes(level);
}

double number(const json& object, const char* key) {
  const double value = object.at(key);
  check_input(std::isfinite(value) && value >= 0, std::string(key) + " is not a number from 0 on");
  return value;
}

}  // namespace

double HierarchyTraffic::operator_share() const noexcept {
  double placed = 0, all = 0;
  for (const LevelTraffic& level : levels) {
    placed += operators(level);
    all += bytes(level);
  }
  return placed / all;
}

HierarchyTraffic parse_hierarchy(std::string_view text, const std::string& file) {
  const json told = json::parse(text, nullptr, false);
  check_input(told.is_object() && told.contains("traffic"),
              file + " does not tell what an iteration moves; write one with amgsolve --json");
  HierarchyTraffic hierarchy;
  double all = 0;
  try {
    hierarchy.iterations = number(told, "iterations");
    for (const json& level : told.at("traffic")) {
      hierarchy.levels.push_back({number(level, "matrix"), number(level, "prolongation"),
                                  number(level, "restriction"), number(level, "vectors"),
                                  number(level, "runs")});
      all += bytes(hierarchy.levels.back());
    }
  } catch (const json::exception& damage) {
    throw Error(file + " is damaged: " + damage.what());
  } catch (const Error& wrong) {
    throw Error(file + " is damaged: " + wrong.what());
  }
  check_input(all > 0 && hierarchy.iterations > 0, file + " tells of no iteration that moves anything");
  return hierarchy;
}

HierarchyTraffic scaled(HierarchyTraffic hierarchy, double factor) {
  check_input(factor > 0 && std::isfinite(factor), "the factor for the number of rows is not above 0");
  for (LevelTraffic& level : hierarchy.levels)
    for (double* part : {&level.matrix, &level.prolongation, &level.restriction, &level.vectors})
      *part *= factor;
  return hierarchy;
}

NumaTime hierarchy_time(const NumaMachine& machine, const HierarchyTraffic& hierarchy, int threads,
                        Placed placed, double stream_share) {
  NumaTime sum;
  for (const LevelTraffic& level : hierarchy.levels) {
    const NumaTraffic local = even_traffic(bytes(level), threads, machine.nodes(), machine.cores_per_node);
    const NumaTime time =
        numa_time(machine, partly_unplaced(local, 1 - placed_share(level, placed)), {1, stream_share});
    const double more_barriers = std::max(0.0, level.runs - 1) * machine.barrier_seconds *
                                 std::bit_width(static_cast<unsigned>(threads - 1));
    sum.sweep_seconds += time.sweep_seconds + more_barriers;
    sum.seconds += hierarchy.iterations * (time.seconds + more_barriers);
    if (sum.limit.empty()) sum.limit = time.limit;
  }
  return sum;
}

}  // namespace taihu::model
