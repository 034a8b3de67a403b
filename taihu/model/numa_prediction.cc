// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/numa_prediction.h"

#include <nlohmann/json.hpp>

#include "taihu/base/formatted.h"

namespace taihu::model {

NumaPrediction predict(const NumaMachine& machine, const NumaTraffic& without, const NumaTraffic& with,
                       const NumaSolve& solve) {
  return {static_cast<int>(with.home.size()), with.total(), numa_time(machine, without, solve),
          numa_time(machine, with, solve)};
}

std::vector<NumaPrediction> predict_even(const NumaMachine& machine, double bytes,
                                         const std::vector<int>& threads, double unplaced,
                                         const NumaSolve& solve) {
  std::vector<NumaPrediction> lines;
  for (const int count : threads) {
    const NumaTraffic even = even_traffic(bytes, count, machine.nodes(), machine.cores_per_node);
    lines.push_back(predict(machine, touched_by_first_thread(even), partly_unplaced(even, unplaced), solve));
  }
  return lines;
}

std::string text_of(const NumaMachine& machine, const NumaSolve& solve,
                    const std::vector<NumaPrediction>& lines) {
  std::string text = formatted("simulated: %s, %d nodes; %g sweeps, streaming share %g\n",
                               machine.name.c_str(), machine.nodes(), solve.sweeps, solve.stream_share) +
                     formatted("%8s %12s %12s %8s  %-34s %s\n", "threads", "without s", "with s", "gain",
                               "without waits for", "with waits for");
  for (const NumaPrediction& line : lines)
    text +=
        formatted("%8d %12.6f %12.6f %7.1f%%  %-34s %s\n", line.threads, line.without.seconds,
                  line.with.seconds, 100 * line.gain(), line.without.limit.c_str(), line.with.limit.c_str());
  return text;
}

std::string json_of(const NumaMachine& machine, const NumaSolve& solve, double unplaced,
                    const std::vector<NumaPrediction>& lines) {
  nlohmann::ordered_json json{{"simulated", true},
                              {"machine", machine.name},
                              {"sweeps", solve.sweeps},
                              {"stream_share", solve.stream_share},
                              {"unplaced", unplaced}};
  for (const NumaPrediction& line : lines)
    json["predictions"].push_back({{"threads", line.threads},
                                   {"bytes", line.bytes},
                                   {"without_s", line.without.seconds},
                                   {"with_s", line.with.seconds},
                                   {"gain", line.gain()},
                                   {"without_waits_for", line.without.limit},
                                   {"with_waits_for", line.with.limit}});
  return json.dump(2);
}

std::vector<HierarchyPrediction> predict(const NumaMachine& machine, const HierarchyTraffic& hierarchy,
                                         const std::vector<int>& threads, double stream_share) {
  std::vector<HierarchyPrediction> lines;
  for (const int count : threads) {
    const auto time = [&](Placed placed) {
      return hierarchy_time(machine, hierarchy, count, placed, stream_share);
    };
    lines.push_back(
        {count, time(Placed::nothing), time(Placed::matrix_and_prolongation), time(Placed::everything)});
  }
  return lines;
}

std::string text_of(const NumaMachine& machine, const HierarchyTraffic& hierarchy, double stream_share,
                    const std::vector<HierarchyPrediction>& lines) {
  std::string text =
      formatted(
          "simulated: %s, %d nodes; %zu levels, %g iterations, streaming share %g; A and P are %.0f%% "
          "of the bytes moved\n",
          machine.name.c_str(), machine.nodes(), hierarchy.levels.size(), hierarchy.iterations, stream_share,
          100 * hierarchy.operator_share()) +
      formatted("%8s %12s %12s %8s %12s %8s  %s\n", "threads", "without s", "A and P s", "gain",
                "all placed s", "gain", "without waits for");
  for (const HierarchyPrediction& line : lines)
    text += formatted("%8d %12.6f %12.6f %7.1f%% %12.6f %7.1f%%  %s\n", line.threads, line.nothing.seconds,
                      line.operators.seconds, 100 * line.gain(line.operators), line.everything.seconds,
                      100 * line.gain(line.everything), line.nothing.limit.c_str());
  return text;
}

std::string json_of(const NumaMachine& machine, const HierarchyTraffic& hierarchy, double stream_share,
                    const std::vector<HierarchyPrediction>& lines) {
  nlohmann::ordered_json json{{"simulated", true},
                              {"machine", machine.name},
                              {"iterations", hierarchy.iterations},
                              {"stream_share", stream_share},
                              {"operator_share", hierarchy.operator_share()}};
  for (const HierarchyPrediction& line : lines)
    json["predictions"].push_back({{"threads", line.threads},
                                   {"without_s", line.nothing.seconds},
                                   {"matrix_and_prolongation_s", line.operators.seconds},
                                   {"matrix_and_prolongation_gain", line.gain(line.operators)},
                                   {"everything_s", line.everything.seconds},
                                   {"everything_gain", line.gain(line.everything)},
                                   {"without_waits_for", line.nothing.limit}});
  return json.dump(2);
}

}  // namespace taihu::model
