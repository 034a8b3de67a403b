// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/workload/replay.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>

#include "taihu/base/formatted.h"
#include "taihu/noc/workload/config.h"
#include "taihu/noc/workload/places.h"
#include "taihu/noc/workload/replay_plan.h"
#include "taihu/noc/workload/replay_run.h"

namespace taihu::noc {
namespace {

MachineConfig machine_for(int ranks, const ReplayConfig& config, const Costs& costs) {
  int width = config.width, height = config.height;
  if (width == 0 && height == 0) width = static_cast<int>(std::ceil(std::sqrt(std::max(2, ranks))));
  if (width == 0) width = (std::max(2, ranks) + height - 1) / height;
  if (height == 0) height = (std::max(2, ranks) + width - 1) / width;
  check_input(width * height >= std::max(2, ranks),
              "the mesh has fewer nodes than the trace has ranks (" + std::to_string(ranks) + ")");
  MachineConfig machine;
  machine.network.mesh = Mesh(width, height, false, Routing::yx);
  machine.network.reuse = Reuse::cut_through;
  machine.tree_root = middle_node(machine.network.mesh);
  machine.network.levels = placement(machine.network.mesh, config.placed, machine.tree_root);
  machine.costs = costs;
  return machine;
}

/// Counts the calls of both runs; tells each percent.
class CallCounter {
 public:
  CallCounter(std::size_t all, const Progress& progress) : all_(all), progress_(progress) {}
  void count() {
    if (!progress_) return;
    const std::lock_guard hold(lock_);
    ++done_;
    if (done_ * 100 / all_ == (done_ - 1) * 100 / all_) return;
    progress_(static_cast<int>(done_), static_cast<int>(all_));
  }

 private:
  std::size_t all_, done_ = 0;
  const Progress& progress_;
  std::mutex lock_;
};

/// What the trace itself says.
std::map<std::string, ReplayRow> traced_rows(const std::vector<TracedCall>& calls, ReplayReport& report) {
  double begin = calls.front().members.front().begin_us, end = begin, inside = 0, waiting = 0;
  std::map<std::string, ReplayRow> rows;
  for (const TracedCall& call : calls) {
    ReplayRow& row = rows[call.operation];
    row.operation = call.operation;
    ++row.calls;
    const double last_us = call.last_begin_us();
    for (const TracedMember& member : call.members) {
      begin = std::min(begin, member.begin_us);
      end = std::max(end, member.end_us);
      row.share += member.end_us - member.begin_us;
      row.waiting += std::min(last_us, member.end_us) - member.begin_us;
    }
  }
  report.program_us = end - begin;
  const double total = std::max(1e-9, report.program_us * report.ranks);
  for (auto& [name, row] : rows) {
    inside += row.share /= total;
    waiting += row.waiting /= total;
  }
  report.collective_share = inside;
  report.waiting_share = waiting;
  return rows;
}

}  // namespace

ReplayReport replay(const std::vector<TracedCall>& calls, const ReplayConfig& config, const Costs& costs,
                    const Progress& progress) {
  const ReplayPlan plan = make_replay_plan(calls);
  const int ranks = plan.ranks.rbegin()->first + 1;
  const MachineConfig machine = machine_for(ranks, config, costs);
  const std::vector<int> places = place_ranks(machine.network.mesh, config.places, ranks);
  const double cycles_per_us = config.clock_ghz * 1000;
  ReplayRun software(calls, plan, machine, places, cycles_per_us, Means::software);
  ReplayRun routers(calls, plan, machine, places, cycles_per_us, Means::automatic);
  CallCounter counter(2 * calls.size(), progress);
  in_parallel(2, [&](int which) { (which == 0 ? software : routers).run([&] { counter.count(); }); }, {});

  ReplayReport report;
  report.parameters = costs.name;
  report.ranks = static_cast<int>(plan.ranks.size());
  report.communicators = plan.communicators.size();
  report.in_routers = routers.in_routers;
  report.software_us = static_cast<double>(software.duration) / cycles_per_us;
  report.hardware_us = static_cast<double>(routers.duration) / cycles_per_us;
  std::map<std::string, ReplayRow> rows = traced_rows(calls, report);
  std::map<std::string, double> simulated;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    ReplayRow& row = rows[calls[at].operation];
    const bool known = collective_of(calls[at].operation) && calls[at].members.size() >= 2;
    row.left_to_software += known && !routers.by_routers(at);
    if (!plan.calls[at].collective) continue;
    row.supported = true;
    ++simulated[row.operation];
    row.software_cycles += static_cast<double>(software.cycles_of(at));
    row.hardware_cycles += static_cast<double>(routers.cycles_of(at));
  }
  for (auto& [name, row] : rows) {
    if (row.supported) {
      row.ratio = row.hardware_cycles > 0 ? row.software_cycles / row.hardware_cycles : 1;
      row.software_cycles /= simulated[name];
      row.hardware_cycles /= simulated[name];
    }
    report.rows.push_back(row);
  }
  std::sort(report.rows.begin(), report.rows.end(),
            [](const auto& a, const auto& b) { return a.share > b.share; });
  return report;
}

std::string to_text(const ReplayReport& report) {
  std::string text = formatted(
      "parameters %s: %d ranks, %.0f us, %.1f%% of it in collectives (%.1f%% waiting for the last member)\n"
      "%zu communicators in simulated calls, %zu known to the routers\n"
      "%-24s %8s %8s %8s %12s %12s %8s %12s\n",
      report.parameters.c_str(), report.ranks, report.program_us, 100 * report.collective_share,
      100 * report.waiting_share, report.communicators, report.in_routers, "call", "calls", "share",
      "waiting", "software", "routers", "ratio", "to software");
  for (const ReplayRow& row : report.rows) {
    if (row.supported)
      text += formatted("%-24s %8zu %7.1f%% %7.1f%% %12.1f %12.1f %8.2f %12zu\n", row.operation.c_str(),
                        row.calls, 100 * row.share, 100 * row.waiting, row.software_cycles,
                        row.hardware_cycles, row.ratio, row.left_to_software);
    else
      text += formatted("%-24s %8zu %7.1f%% %7.1f%% %12s %12s %8s\n", row.operation.c_str(), row.calls,
                        100 * row.share, 100 * row.waiting, "-", "-", "-");
  }
  return text +
         formatted(
             "on the chip the program takes %.1f us with its collectives in software, %.1f us with those "
             "routers: %.3f times as fast\n",
             report.software_us, report.hardware_us, report.program_speedup());
}

}  // namespace taihu::noc
