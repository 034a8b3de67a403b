// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/network_comparison.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <nlohmann/json.hpp>
#include <thread>

#include "taihu/base/formatted.h"
#include "taihu/picture/picture.h"

namespace taihu::model {

namespace {

using schedule::Schedule;
using topology::Interconnect;

double seconds_of(const Interconnect& network, const NetworkPlacement& placement, const Schedule& schedule,
                  const ComparisonOptions& options, int members) {
  // Exact for long messages that are all under way together: nothing but the most loaded link counts.
  if (schedule.rounds == 1 && members > 64)
    return schedule::estimate_seconds({network, placement.nodes}, schedule, options.costs);
  SimulationOptions simulation;
  simulation.costs = options.costs;
  const double round_seconds =
      schedule::estimate_seconds({network, placement.nodes}, schedule, options.costs) / schedule.rounds;
  simulation.resolution_seconds = options.resolution * round_seconds;
  if (options.stretches == 0) return simulate_network(network, placement.nodes, schedule, simulation).seconds;
  const int window = std::max(1, members / schedule.rounds);
  const int rounds = std::max(2, options.exchanges / window);
  // What gathers blocks has few rounds, each other than the next: all of them.
  if (schedule.rounds < 64) return simulate_network(network, placement.nodes, schedule, simulation).seconds;
  return estimate_network(network, placement.nodes, schedule, simulation, options.stretches, rounds).seconds;
}

PlacementTimes compare(const Interconnect& network, const NetworkPlacement& placement,
                       const ComparisonOptions& options) {
  const int members = static_cast<int>(placement.nodes.size());
  const std::size_t bytes = options.block_bytes;
  const auto seconds = [&](const Schedule& schedule) {
    return seconds_of(network, placement, schedule, options, members);
  };
  const schedule::AlltoallChoice choice =
      schedule::choose_alltoall({network, placement.nodes}, bytes, options.costs);
  PlacementTimes times{placement.name, placement.nodes, choice.reason};
  const Schedule ring = schedule::ring_schedule(members, bytes);
  times.ring = seconds(ring);
  const auto again = [&](const Schedule& schedule) {
    return schedule.name == ring.name ? times.ring : seconds(schedule);
  };
  times.chosen = again(choice.schedule);
  times.openmpi = again(schedule::openmpi_choice(members, bytes));
  times.mpich = again(schedule::mpich_choice(members, bytes));
  return times;
}

double mean_gain(const std::vector<PlacementTimes>& lines, double PlacementTimes::* other) {
  double sum = 0;
  for (const PlacementTimes& line : lines) sum += line.*other / line.chosen - 1;
  return lines.empty() ? 0 : 100 * sum / static_cast<double>(lines.size());
}

}  // namespace

std::vector<PlacementTimes> compare_alltoall(const Interconnect& network,
                                             const std::vector<NetworkPlacement>& placements,
                                             const ComparisonOptions& options) {
  std::vector<PlacementTimes> lines(placements.size());
  std::vector<std::exception_ptr> problems(placements.size());
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t k = next++; k < placements.size(); k = next++) {
      try {
        lines[k] = compare(network, placements[k], options);
      } catch (...) {
        problems[k] = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  for (int k = 1; k < options.jobs; ++k) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& problem : problems)
    if (problem) std::rethrow_exception(problem);
  return lines;
}

std::string text_of(const Interconnect& network, const ComparisonOptions& options,
                    const std::vector<PlacementTimes>& lines) {
  std::string text = formatted("simulated: alltoall of blocks of %zu bytes; %s\n\n", options.block_bytes,
                               network.describe().c_str());
  text += formatted("%-40s %10s %10s %8s %10s %10s  %s\n", "placement", "ring", "chosen", "gain", "Open MPI",
                    "MPICH", "choice");
  for (const PlacementTimes& line : lines)
    text += formatted("%-40s %8.2fms %8.2fms %+7.1f%% %8.2fms %8.2fms  %s\n", line.placement.c_str(),
                      1e3 * line.ring, 1e3 * line.chosen, 100 * (line.ring / line.chosen - 1),
                      1e3 * line.openmpi, 1e3 * line.mpich, line.choice.c_str());
  return text +
         formatted("\nmean gain: over the ring %+.1f %%, over Open MPI %+.1f %%, over MPICH %+.1f %%\n",
                   mean_gain(lines, &PlacementTimes::ring), mean_gain(lines, &PlacementTimes::openmpi),
                   mean_gain(lines, &PlacementTimes::mpich));
}

std::string json_of(const Interconnect& network, const ComparisonOptions& options,
                    const std::vector<PlacementTimes>& lines) {
  nlohmann::ordered_json result{{"kind", "simulated"},
                                {"network", network.describe()},
                                {"block_bytes", options.block_bytes},
                                {"placements", nlohmann::json::array()}};
  for (const PlacementTimes& line : lines)
    result["placements"].push_back({{"placement", line.placement},
                                    {"nodes", line.nodes},
                                    {"choice", line.choice},
                                    {"ring_seconds", line.ring},
                                    {"chosen_seconds", line.chosen},
                                    {"openmpi_seconds", line.openmpi},
                                    {"mpich_seconds", line.mpich}});
  return result.dump(2);
}

void save_picture(const std::string& file, const Interconnect& network, const NetworkPlacement& placement,
                  const PlacementTimes& times) {
  using namespace picture;
  std::vector<int> members;  // group -> its members
  std::vector<int> nodes;
  for (int node = 0; node < network.nodes(); ++node) {
    const auto group = static_cast<std::size_t>(network.group(node));
    if (group >= nodes.size()) nodes.resize(group + 1);
    ++nodes[group];
  }
  members.resize(nodes.size());
  for (const int node : placement.nodes) ++members[static_cast<std::size_t>(network.group(node))];
  constexpr int cell = 14, across = 40, margin = 12, bar = 16;
  const int rows = (static_cast<int>(nodes.size()) + across - 1) / across;
  const int bars_top = margin + 24 + rows * cell + 16;
  Picture picture(across * cell + 2 * margin, bars_top + 4 * (bar + 6) + margin);
  picture.text(margin, margin, placement.name);
  for (std::size_t group = 0; group < nodes.size(); ++group) {
    const int x = margin + static_cast<int>(group) % across * cell;
    const int y = margin + 20 + static_cast<int>(group) / across * cell;
    picture.box(x, y, cell - 1, cell - 1, grey);
    picture.box(x + 1, y + 1, cell - 3, cell - 3,
                heat_colour(static_cast<double>(members[group]) / nodes[group]));
  }
  const std::pair<const char*, double> bars[] = {
      {"RING", times.ring}, {"CHOSEN", times.chosen}, {"OPEN MPI", times.openmpi}, {"MPICH", times.mpich}};
  const double longest = std::max({times.ring, times.chosen, times.openmpi, times.mpich});
  int y = bars_top;
  for (std::size_t k = 0; k < 4; ++k, y += bar + 6) {
    picture.text(margin, y + 4, bars[k].first);
    const int width = static_cast<int>(bars[k].second / longest * (across * cell - 160));
    picture.box(margin + 60, y, std::max(1, width), bar, series_colour(k));
    picture.text(margin + 66 + width, y + 4, formatted("%.4g MS", 1e3 * bars[k].second));
  }
  picture.save_png(file);
}

}  // namespace taihu::model
