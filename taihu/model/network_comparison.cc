// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/network_comparison.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/picture/picture.h"
#include "taihu/schedule/collective_forms.h"

namespace taihu::model {

namespace {

using schedule::Schedule;
using topology::Interconnect;

/// `schedule` without its first `begin` rounds.
Schedule without_beginning(const Schedule& schedule, int begin) {
  Schedule rest = schedule;
  rest.rounds -= begin;
  rest.make = [make = schedule.make, begin](schedule::Place place, std::size_t bytes, schedule::Rounds part) {
    schedule::Program program =
        make(place, bytes, {part.first + begin, std::min(part.last, 1 << 30) + begin});
    for (schedule::Step& step : program.steps) step.round -= begin;
    return program;
  };
  return rest;
}

double seconds_of(const Interconnect& network, const NetworkPlacement& placement, const Schedule& schedule,
                  const ComparisonOptions& options, int members) {
  // Exact for long messages that are all under way together: nothing but the most loaded link counts.
  if (schedule.window >= members && members > 64)
    return schedule::estimate_seconds({network, placement.nodes}, schedule, options.costs);
  SimulationOptions simulation;
  simulation.costs = options.costs;
  const double round_seconds =
      schedule::estimate_seconds({network, placement.nodes}, schedule, options.costs) / schedule.rounds;
  simulation.resolution_seconds = options.resolution * round_seconds;
  if (options.stretches == 0) return simulate_network(network, placement.nodes, schedule, simulation).seconds;
  const int window = options.collective ? 1 : std::max(1, members / schedule.rounds);
  const int rounds = std::max(2, options.exchanges / window);
  // What gathers blocks has few rounds, each other than the next: all of them.
  if (schedule.rounds < 64) return simulate_network(network, placement.nodes, schedule, simulation).seconds;
  if (!options.collective)
    return estimate_network(network, placement.nodes, schedule, simulation, options.stretches, rounds)
        .seconds;
  // What comes before the rounds that are all alike, such as a scatter or a copy, is simulated for itself.
  const int begin = schedule::forms::levels_of(members) + 1;
  const double alike = estimate_network(network, placement.nodes, without_beginning(schedule, begin),
                                        simulation, options.stretches, rounds)
                           .seconds;
  simulation.rounds = {0, begin};
  return alike + simulate_network(network, placement.nodes, schedule, simulation).seconds;
}

/// The four forms of a comparison.
struct Compared {
  Schedule plain, chosen, openmpi, mpich;
  std::string reason;
};

Compared compared_alltoalls(const schedule::Placed& placed, const ComparisonOptions& options) {
  const int members = placed.members();
  const std::size_t bytes = options.block_bytes;
  schedule::AlltoallChoice choice = schedule::choose_alltoall(placed, bytes, options.costs);
  return {schedule::ring_schedule(members, bytes), std::move(choice.schedule),
          schedule::openmpi_choice(members, bytes), schedule::mpich_choice(members, bytes),
          std::move(choice.reason)};
}

Compared compared_collectives(schedule::Collective collective, const schedule::Placed& placed,
                              const ComparisonOptions& options) {
  const int members = placed.members();
  const std::size_t bytes = options.block_bytes;
  const auto whole = [&](const schedule::CollectiveForm& form) {
    return schedule::schedule_of(collective, form, members, bytes);
  };
  schedule::CollectiveChoice choice =
      schedule::choose_collective(collective, placed, bytes, {}, options.costs);
  return {whole(schedule::plain_form(collective, members, bytes)), whole(choice.form),
          whole(schedule::openmpi_form(collective, members, bytes)),
          whole(schedule::mpich_form(collective, members, bytes)), std::move(choice.reason)};
}

PlacementTimes compare(const Interconnect& network, const NetworkPlacement& placement,
                       const ComparisonOptions& options) {
  const int members = static_cast<int>(placement.nodes.size());
  const schedule::Placed placed{network, placement.nodes};
  const Compared forms = options.collective ? compared_collectives(*options.collective, placed, options)
                                            : compared_alltoalls(placed, options);
  PlacementTimes times{placement.name, placement.nodes, forms.reason};
  times.plain = seconds_of(network, placement, forms.plain, options, members);
  const auto seconds = [&](const Schedule& schedule) {
    return schedule.name == forms.plain.name ? times.plain
                                             : seconds_of(network, placement, schedule, options, members);
  };
  times.chosen = seconds(forms.chosen);
  times.openmpi = seconds(forms.openmpi);
  times.mpich = seconds(forms.mpich);
  return times;
}

/// `work` for each number below `count`, as many at the same time as `options` says; throws what the first
/// one threw.
void at_once(std::size_t count, const ComparisonOptions& options,
             const std::function<void(std::size_t)>& work) {
  std::vector<std::exception_ptr> problems(count);
  std::mutex telling;
  int done = 0;
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t k = next++; k < count; k = next++) {
      try {
        work(k);
      } catch (...) {
        problems[k] = std::current_exception();
      }
      const std::lock_guard lock(telling);
      if (options.progress) options.progress(++done, static_cast<int>(count));
    }
  };
  std::vector<std::thread> threads;
  for (int k = 1; k < options.jobs; ++k) threads.emplace_back(take);
  take();
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& problem : problems)
    if (problem) std::rethrow_exception(problem);
}

const char* collective_of(const ComparisonOptions& options) {
  return options.collective ? name_of(*options.collective) : "alltoall";
}

std::string heading_of(const Interconnect& network, const ComparisonOptions& options) {
  const bool is_whole = options.collective == schedule::Collective::bcast ||
                        options.collective == schedule::Collective::allreduce;
  return formatted("simulated: %s of %s%zu bytes; %s\n\n", collective_of(options),
                   is_whole ? "" : "blocks of ", options.block_bytes, network.describe().c_str());
}

nlohmann::ordered_json json_head_of(const Interconnect& network, const ComparisonOptions& options) {
  return {{"kind", "simulated"},
          {"collective", collective_of(options)},
          {"network", network.describe()},
          {"block_bytes", options.block_bytes}};
}

double mean_gain(const std::vector<PlacementTimes>& lines, double PlacementTimes::* other) {
  double sum = 0;
  for (const PlacementTimes& line : lines) sum += line.*other / line.chosen - 1;
  return lines.empty() ? 0 : 100 * sum / static_cast<double>(lines.size());
}

}  // namespace

std::vector<PlacementTimes> compare_collective(const Interconnect& network,
                                               const std::vector<NetworkPlacement>& placements,
                                               const ComparisonOptions& options) {
  std::vector<PlacementTimes> lines(placements.size());
  at_once(placements.size(), options,
          [&](std::size_t k) { lines[k] = compare(network, placements[k], options); });
  return lines;
}

std::vector<FormTimes> compare_forms(const Interconnect& network,
                                     const std::vector<NetworkPlacement>& placements,
                                     const ComparisonOptions& options) {
  check_input(options.collective.has_value(), "forms of alltoall are not listed; name another collective");
  const schedule::Collective collective = *options.collective;
  struct Candidate {
    const NetworkPlacement* placement;
    schedule::CollectiveForm form;
  };
  std::vector<Candidate> candidates;
  for (const NetworkPlacement& placement : placements) {
    const schedule::Placed placed{network, placement.nodes};
    const std::size_t bytes = options.block_bytes;
    auto forms = schedule::collective_forms(collective, placed, bytes);
    for (auto& other : {schedule::openmpi_form(collective, placed.members(), bytes),
                        schedule::mpich_form(collective, placed.members(), bytes)})
      if (std::ranges::none_of(forms, [&](const auto& form) { return form.name == other.name; }))
        forms.push_back(other);
    for (auto& form : forms) candidates.push_back({&placement, std::move(form)});
  }
  std::vector<FormTimes> lines(candidates.size());
  at_once(candidates.size(), options, [&](std::size_t k) {
    const Candidate& one = candidates[k];
    const schedule::Placed placed{network, one.placement->nodes};
    const Schedule schedule =
        schedule::schedule_of(collective, one.form, placed.members(), options.block_bytes);
    lines[k] = {one.placement->name, one.form.name,
                schedule::estimate_seconds(collective, one.form, placed, options.block_bytes, options.costs),
                seconds_of(network, *one.placement, schedule, options, placed.members())};
  });
  return lines;
}

std::string text_of(const Interconnect& network, const ComparisonOptions& options,
                    const std::vector<FormTimes>& lines) {
  std::string text = heading_of(network, options);
  text += formatted("%-40s %12s %12s  %s\n", "placement", "estimated", "simulated", "form");
  for (const FormTimes& line : lines)
    text += formatted("%-40s %10.4gms %10.4gms  %s\n", line.placement.c_str(), 1e3 * line.estimated,
                      1e3 * line.simulated, line.form.c_str());
  return text;
}

std::string json_of(const Interconnect& network, const ComparisonOptions& options,
                    const std::vector<FormTimes>& lines) {
  nlohmann::ordered_json result = json_head_of(network, options);
  result["forms"] = nlohmann::json::array();
  for (const FormTimes& line : lines)
    result["forms"].push_back({{"placement", line.placement},
                               {"form", line.form},
                               {"estimated_seconds", line.estimated},
                               {"simulated_seconds", line.simulated}});
  return result.dump(2);
}

std::string text_of(const Interconnect& network, const ComparisonOptions& options,
                    const std::vector<PlacementTimes>& lines) {
  const char* const plain = options.collective ? "plain" : "ring";
  std::string text = heading_of(network, options);
  text += formatted("%-40s %10s %10s %8s %10s %10s  %s\n", "placement", plain, "chosen", "gain", "Open MPI",
                    "MPICH", "choice");
  for (const PlacementTimes& line : lines)
    text += formatted("%-40s %8.3gms %8.3gms %+7.1f%% %8.3gms %8.3gms  %s\n", line.placement.c_str(),
                      1e3 * line.plain, 1e3 * line.chosen, 100 * (line.plain / line.chosen - 1),
                      1e3 * line.openmpi, 1e3 * line.mpich, line.choice.c_str());
  return text +
         formatted("\nmean gain: over the %s %+.1f %%, over Open MPI %+.1f %%, over MPICH %+.1f %%\n",
                   options.collective ? "plain form" : "ring", mean_gain(lines, &PlacementTimes::plain),
                   mean_gain(lines, &PlacementTimes::openmpi), mean_gain(lines, &PlacementTimes::mpich));
}

std::string json_of(const Interconnect& network, const ComparisonOptions& options,
                    const std::vector<PlacementTimes>& lines) {
  nlohmann::ordered_json result = json_head_of(network, options);
  result["placements"] = nlohmann::json::array();
  for (const PlacementTimes& line : lines)
    result["placements"].push_back({{"placement", line.placement},
                                    {"nodes", line.nodes},
                                    {"choice", line.choice},
                                    {options.collective ? "plain_seconds" : "ring_seconds", line.plain},
                                    {"chosen_seconds", line.chosen},
                                    {"openmpi_seconds", line.openmpi},
                                    {"mpich_seconds", line.mpich}});
  return result.dump(2);
}

void save_picture(const std::string& file, const Interconnect& network, const NetworkPlacement& placement,
                  const PlacementTimes& times, bool is_alltoall) {
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
  const std::pair<const char*, double> bars[] = {{is_alltoall ? "RING" : "PLAIN", times.plain},
                                                 {"CHOSEN", times.chosen},
                                                 {"OPEN MPI", times.openmpi},
                                                 {"MPICH", times.mpich}};
  const double longest = std::max({times.plain, times.chosen, times.openmpi, times.mpich});
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
