// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/reproduction/reproduce.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "taihu/base/formatted.h"
#include "taihu/base/output_file.h"
#include "taihu/noc/collectives/model.h"
#include "taihu/noc/collectives/search.h"
#include "taihu/noc/output/animation.h"
#include "taihu/noc/output/charts.h"
#include "taihu/noc/reproduction/reproduce_runs.h"
#include "taihu/noc/workload/config.h"

namespace taihu::noc {

namespace {

const char* const parameter_sets[] = {"paper2017", "fair"};
constexpr int sizes[] = {4, 8, 16};
constexpr Collective shown[] = {Collective::reduce, Collective::broadcast, Collective::allreduce,
                                Collective::gather};
constexpr std::size_t payloads[] = {8, 16, 32, 64};
/// The paper's two groups on 8x8: none of whose nodes is, and some of whose nodes are, in the root's row.
const std::vector<int> without_units = {50, 51, 52, 53, 58, 59, 60, 61};
const std::vector<int> with_units = {18, 19, 20, 21, 27, 28, 29};

Case group_case(const char* parameters, const std::vector<int>& members) {
  return {parameters, Collective::reduce, 8, 2, 16, false, members};
}

std::vector<std::size_t> payloads_of(Collective collective) {
  if (collective == Collective::gather) return {4};
  return {std::begin(payloads), std::end(payloads)};
}

std::string cell(double value, const char* form = "%.3f") {
  if (!std::isfinite(value)) return "";
  return formatted(form, value);
}

double ratio(Cycle one, Cycle other) {
  return static_cast<double>(one) / static_cast<double>(other);
}

std::string percent(double ours, double papers) {
  return std::isfinite(papers) ? cell(100 * (ours / papers - 1), "%.1f") : "";
}

void add_cases(Runs& runs) {
  for (const char* parameters : parameter_sets) {
    for (const Collective collective : shown)
      for (const int n : sizes)
        for (const std::size_t bytes : payloads_of(collective))
          for (int strategy = 0; strategy <= 3; ++strategy)
            runs.add({parameters, collective, n, strategy, bytes, false, {}});
    for (int strategy = 1; strategy <= 3; ++strategy)
      for (const int n : sizes) runs.add({parameters, Collective::reduce, n, strategy, 16, true, {}});
    for (const auto& members : {without_units, with_units}) runs.add(group_case(parameters, members));
  }
}

std::string strategy_name(int strategy) {
  return strategy == 0 ? "software" : "S" + std::to_string(strategy);
}

void figure10(const Runs& runs, const std::string& folder) {
  std::string csv = "parameters,collective,n,bytes,implementation,cycles,speedup_over_software\n";
  for (const auto& [which, measured] : runs.all()) {
    if (which.fixed_order || !which.members.empty()) continue;
    const double cycles = which.strategy == 0 ? runs.software(which) : static_cast<double>(measured.cycles);
    csv += which.parameters + "," + to_text(which.collective) + "," + std::to_string(which.n) + "," +
           std::to_string(which.bytes) + "," + strategy_name(which.strategy) + "," + cell(cycles, "%.0f") +
           "," + cell(runs.software(which) / cycles) + "\n";
  }
  write_file(folder + "/figure10.csv", csv);
  for (const char* parameters : parameter_sets) {
    for (const Collective collective : shown) {
      std::vector<BarGroup> times, speedups;
      for (const int n : sizes)
        for (const std::size_t bytes : payloads_of(collective)) {
          BarGroup time{std::to_string(n) + "x" + std::to_string(n) + " " + std::to_string(bytes) + "b", {}};
          BarGroup speedup{time.name, {}};
          for (int strategy = 0; strategy <= 3; ++strategy) {
            const Case which{parameters, collective, n, strategy, bytes, false, {}};
            time.values.push_back(strategy == 0 ? runs.software(which)
                                                : static_cast<double>(runs.at(which).cycles));
            if (strategy > 0) speedup.values.push_back(runs.speedup(which));
          }
          times.push_back(time);
          speedups.push_back(speedup);
        }
      const std::string name = std::string(to_text(collective)) + "_" + parameters;
      const std::string title = std::string(to_text(collective)) + ", " + parameters;
      bars("Figure 10: " + title, "cycles", {"software", "S1", "S2", "S3"}, times, true)
          .save_png(folder + "/figure10_" + name + ".png");
      bars("Speedup: " + title, "times", {"S1", "S2", "S3"}, speedups, false)
          .save_png(folder + "/speedup_" + name + ".png");
    }
  }
}

void figure11(const Runs& runs, const std::string& folder) {
  std::string csv =
      "parameters,collective,n,bytes,strategy,simulated,table3,ratio_to_table3,corrected,ratio_to_"
      "corrected\n";
  std::vector<BarGroup> groups;
  for (const auto& [which, measured] : runs.all()) {
    if (which.fixed_order || !which.members.empty() || which.strategy == 0) continue;
    const auto simulated = static_cast<double>(measured.cycles);
    csv += which.parameters + "," + to_text(which.collective) + "," + std::to_string(which.n) + "," +
           std::to_string(which.bytes) + "," + strategy_name(which.strategy) + "," + cell(simulated, "%.0f") +
           "," + cell(measured.table3, "%.0f") + "," + cell(simulated / measured.table3) + "," +
           cell(static_cast<double>(measured.predicted), "%.0f") + "," +
           cell(simulated / static_cast<double>(measured.predicted)) + "\n";
  }
  write_file(folder + "/figure11.csv", csv);
  for (const Collective collective : shown)
    for (const int n : sizes) {
      BarGroup group{to_text(collective) + (" " + std::to_string(n)), {}};
      for (int strategy = 1; strategy <= 3; ++strategy) {
        const Measured& measured = runs.at({"paper2017",
                                            collective,
                                            n,
                                            strategy,
                                            collective == Collective::gather ? std::size_t{4} : 16,
                                            false,
                                            {}});
        group.values.push_back(static_cast<double>(measured.cycles) / measured.table3);
      }
      groups.push_back(group);
    }
  bars("Figure 11: simulated / table 3, paper2017", "ratio", {"S1", "S2", "S3"}, groups, false)
      .save_png(folder + "/figure11.png");
}

void tables(const Runs& runs, const std::string& folder) {
  std::string second =
      "collective,n,strategy,paper_formula,exact,simulated,deviation_percent,binomial_tree\n";
  std::string third =
      "parameters,collective,n,bytes,strategy,paper_formula,corrected,simulated,formula_deviation_percent\n";
  for (const Collective collective : shown)
    for (const int n : sizes)
      for (int strategy = 0; strategy <= 3; ++strategy) {
        const std::size_t bytes = collective == Collective::gather ? 4 : 16;
        const Case which{"paper2017", collective, n, strategy, bytes, false, {}};
        const MachineConfig config = config_of(which);
        const Mesh& mesh = config.network.mesh;
        std::vector<int> all(static_cast<std::size_t>(mesh.nodes()));
        std::iota(all.begin(), all.end(), 0);
        std::vector<std::uint8_t> levels = config.network.levels;
        levels.resize(all.size());
        const Tree tree = make_tree(mesh, levels, all, config.tree_root);
        const int up = strategy == 0 ? flat_hops(mesh, tree) : reduce_hops(mesh, tree);
        const int down = strategy == 0 ? flat_hops(mesh, tree) : broadcast_hops(mesh, tree);
        const int exact = collective == Collective::reduce      ? up
                          : collective == Collective::broadcast ? down
                          : collective == Collective::allreduce ? up + down
                          : strategy == 0                       ? up
                                                                : gather_hops(mesh, tree);
        const double formula = table2(collective, strategy, n);
        const std::string simulated = strategy == 0 ? "" : std::to_string(runs.at(which).hops);
        second += std::string(to_text(collective)) + "," + std::to_string(n) + "," + strategy_name(strategy) +
                  "," + cell(formula, "%.0f") + "," + std::to_string(exact) + "," + simulated + "," +
                  percent(exact, formula) + "," + std::to_string(binomial_hops(mesh, all, 0)) + "\n";
        for (const char* parameters : parameter_sets) {
          const Measured& measured = runs.at({parameters, collective, n, strategy, bytes, false, {}});
          third += std::string(parameters) + "," + to_text(collective) + "," + std::to_string(n) + "," +
                   std::to_string(bytes) + "," + strategy_name(strategy) + "," +
                   cell(measured.table3, "%.0f") + "," + std::to_string(measured.predicted) + "," +
                   std::to_string(measured.cycles) + "," +
                   percent(measured.table3, static_cast<double>(measured.predicted)) + "\n";
        }
      }
  write_file(folder + "/table2.csv", second);
  write_file(folder + "/table3.csv", third);
}

/// How far the two groups are from the root, and how long their reductions take.
void compare_groups(const Runs& runs, const std::string& folder) {
  std::string csv = "parameters,members,links,cycles,cycles_of_a_link\n";
  for (const char* parameters : parameter_sets)
    for (const auto& members : {with_units, without_units}) {
      const Case which = group_case(parameters, members);
      std::string names;
      for (const int member : members) names += (names.empty() ? "" : " ") + std::to_string(member);
      const Measured& measured = runs.at(which);
      csv += formatted("%s,%s,%d,%ld,%d\n", parameters, names.c_str(), measured.links,
                       static_cast<long>(measured.at_root), config_of(which).network.hop_cycles());
    }
  write_file(folder + "/groups.csv", csv);
}

/// The ratios in the text of the paper, with ours.
class Claims {
 public:
  explicit Claims(const Runs& runs) : runs_(runs) {}

  void add_all() {
    range("reduce speedup, S2", Collective::reduce, {2}, 6.4, 41.7);
    range("reduce speedup, S3", Collective::reduce, {3}, NAN, 42.3);
    range("reduce speedup, S1", Collective::reduce, {1}, 1.13, NAN);
    range("broadcast speedup", Collective::broadcast, {1, 2, 3}, 15.3, 31.2);
    range("allreduce speedup, S2", Collective::allreduce, {2}, 5.4, 9.7);
    range("allreduce speedup, all", Collective::allreduce, {1, 2, 3}, 1.97, 9.91);
    range("gather speedup, S2", Collective::gather, {2}, 1.3, 1.8);
    range("gather speedup, S3", Collective::gather, {3}, 0.75, 1.18);
    share("S2 / S1, 4x4, 16 B", 4, 2, 0.4567);
    share("S3 / S1, 4x4, 16 B", 4, 3, 0.4505);
    share("S2 / S1, 16x16, 16 B", 16, 2, 0.0928);
    share("S3 / S1, 16x16, 16 B", 16, 3, 0.0823);
    for (const char* parameters : parameter_sets) {
      const Measured &with = runs_.at(group_case(parameters, with_units)),
                     &without = runs_.at(group_case(parameters, without_units));
      const Costs costs = costs_named(parameters);
      const Cycle message = costs.send + costs.receive - costs.hardware_send - costs.hardware_receive;
      const double at_root = ratio(without.at_root, with.at_root),
                   charged = ratio(without.at_root + message, with.at_root + message),
                   at_member = ratio(without.cycles, with.cycles);
      line("members without a level-1 router / with, at node 27", parameters, 1.01, 1.02, at_root, at_root);
      line("the same, software of one message in both times", parameters, NAN, NAN, charged, charged);
      line("the same, with the message to a member", parameters, NAN, NAN, at_member, at_member);
      double most = 0;
      for (const auto& [which, measured] : runs_.all())
        if (which.parameters == parameters && which.strategy > 0 && !which.fixed_order &&
            which.members.empty() && std::isfinite(measured.table3))
          most = std::max(most, static_cast<double>(measured.cycles) / measured.table3);
      line("simulated / table 3, largest", parameters, NAN, 2.68, NAN, most);
    }
  }
  const std::string& csv() const { return csv_; }
  const std::string& text() const { return text_; }

 private:
  void range(const std::string& claim, Collective collective, const std::vector<int>& strategies, double low,
             double high) {
    for (const char* parameters : parameter_sets) {
      double least = 1e300, most = 0;
      for (const int n : sizes)
        for (const std::size_t bytes : payloads_of(collective))
          for (const int strategy : strategies) {
            const double speedup = runs_.speedup({parameters, collective, n, strategy, bytes, false, {}});
            least = std::min(least, speedup);
            most = std::max(most, speedup);
          }
      line(claim, parameters, low, high, least, most);
    }
  }
  void share(const std::string& claim, int n, int strategy, double paper) {
    for (const char* parameters : parameter_sets) {
      const auto cycles = [&](int which) {
        return static_cast<double>(
            runs_.at({parameters, Collective::reduce, n, which, 16, false, {}}).cycles);
      };
      line(claim, parameters, paper, paper, cycles(strategy) / cycles(1), cycles(strategy) / cycles(1));
    }
  }
  void line(const std::string& claim, const std::string& parameters, double paper_low, double paper_high,
            double low, double high) {
    csv_ += "\"" + claim + "\"," + parameters + "," + cell(paper_low) + "," + cell(paper_high) + "," +
            cell(low) + "," + cell(high) + "," + (std::isfinite(low) ? percent(low, paper_low) : "") + "," +
            percent(high, paper_high) + "\n";
    text_ +=
        formatted("%-50s %-10s %8s %8s %9s %9s\n", claim.c_str(), parameters.c_str(), cell(paper_low).c_str(),
                  cell(paper_high).c_str(), cell(low).c_str(), cell(high).c_str());
  }

  const Runs& runs_;
  std::string csv_ =
      "claim,parameters,paper_low,paper_high,ours_low,ours_high,deviation_low_percent,deviation_high_"
      "percent\n";
  std::string text_;
};

/// One reduction of 64 bytes to the root on 8x8, S2: an animation, and the load of the links from the
/// reduction and its learning.
void film(const std::string& folder) {
  Machine machine(config_of({"paper2017", Collective::reduce, 8, 2, 64, false, {}}));
  std::vector<int> all(64);
  std::iota(all.begin(), all.end(), 0);
  Operation operation;
  operation.communicator = machine.make_communicator(all);
  operation.collective = Collective::reduce;
  operation.bytes = 64;
  operation.root = machine.tree_root();
  fill_data(operation, 64, 1);
  Animation animation(machine.network());
  machine.network().moves = &animation.moves;
  machine.on_cycle = [&] { animation.cycle(); };
  const int number = machine.start(operation);
  machine.run();
  check_input(machine.outcome(number).results == reference_results(operation, 64),
              "wrong result of a collective");
  write_file(folder + "/reduction.html", animation.to_html());
  heat_map(machine.network(), "learning and one reduction, 8x8, S2").save_png(folder + "/reduction_load.png");
}

/// What the paper does not have.
void beyond(const Runs& runs, const std::string& folder) {
  std::string order =
      "parameters,n,strategy,bytes,arrival_order,fixed_order,cost_percent,parked_packets,parked_bytes\n";
  for (const char* parameters : parameter_sets)
    for (const int n : sizes)
      for (int strategy = 1; strategy <= 3; ++strategy) {
        const Measured& free = runs.at({parameters, Collective::reduce, n, strategy, 16, false, {}});
        const Measured& fixed = runs.at({parameters, Collective::reduce, n, strategy, 16, true, {}});
        order += std::string(parameters) + "," + std::to_string(n) + "," + strategy_name(strategy) + ",16," +
                 std::to_string(free.cycles) + "," + std::to_string(fixed.cycles) + "," +
                 percent(static_cast<double>(fixed.cycles), static_cast<double>(free.cycles)) + "," +
                 std::to_string(fixed.parked) + "," + std::to_string(fixed.parked * max_bytes) + "\n";
      }
  write_file(folder + "/fixed_order.csv", order);
  std::string rows = "n,rows,level1_routers,cycles,hops\n";
  for (const int n : sizes) {
    const MachineConfig config = config_of({"fair", Collective::reduce, n, 2, 16, false, {}});
    for (const PlacementResult& each : search_placements(config, n == 16 ? 3 : 4, 16)) {
      if (each.lines.size() > 3) continue;
      std::string lines;
      for (const int line : each.lines) lines += (lines.empty() ? "" : " ") + std::to_string(line);
      rows += std::to_string(n) + "," + lines + "," + std::to_string(each.units) + "," +
              std::to_string(each.cycles) + "," + std::to_string(each.hops) + "\n";
    }
  }
  write_file(folder + "/placements.csv", rows);
}

}  // namespace

std::string reproduce(const std::string& folder, const Progress& progress) {
  Runs runs;
  add_cases(runs);
  runs.run(progress);
  figure10(runs, folder);
  figure11(runs, folder);
  compare_groups(runs, folder);
  tables(runs, folder);
  beyond(runs, folder);
  film(folder);
  Claims claims(runs);
  claims.add_all();
  write_file(folder + "/claims.csv", claims.csv());
  return formatted("%-50s %-10s %8s %8s %9s %9s\n", "claim", "parameters", "paper", "", "ours", "") +
         claims.text();
}

std::string model_tables(int n, std::size_t bytes, const std::string& parameters) {
  std::string text = formatted("table 2: packet hops, %dx%d\n%-10s %-9s %9s %9s\n", n, n, "collective",
                               "strategy", "formula", "exact");
  std::string third;
  for (const Collective collective : shown)
    for (int strategy = 0; strategy <= 3; ++strategy) {
      const std::size_t data = collective == Collective::gather ? std::min<std::size_t>(bytes, 4) : bytes;
      const MachineConfig config = config_of({parameters, collective, n, strategy, data, false, {}});
      const Mesh& mesh = config.network.mesh;
      Operation operation;
      operation.collective = collective;
      operation.bytes = data;
      operation.root = config.tree_root;
      std::vector<int> all(static_cast<std::size_t>(mesh.nodes()));
      std::iota(all.begin(), all.end(), 0);
      std::vector<std::uint8_t> levels = config.network.levels;
      levels.resize(all.size());
      const Tree tree = make_tree(mesh, levels, all, config.tree_root);
      const int up = collective == Collective::gather && strategy > 0 ? gather_hops(mesh, tree)
                     : strategy == 0                                  ? flat_hops(mesh, tree)
                                                                      : reduce_hops(mesh, tree);
      const int down = strategy == 0 ? flat_hops(mesh, tree) : broadcast_hops(mesh, tree);
      const int exact = collective == Collective::broadcast   ? down
                        : collective == Collective::allreduce ? up + down
                                                              : up;
      text += formatted("%-10s %-9s %9s %9d\n", to_text(collective), strategy_name(strategy).c_str(),
                        cell(table2(collective, strategy, n), "%.1f").c_str(), exact);
      MachineConfig timed = config;
      timed.network.unit.pipelined = timed.costs.pipelined;
      const Cycle corrected = strategy == 0 ? predict_software(timed, n * n, operation)
                                            : predict_hardware(timed, tree, operation);
      third += formatted("%-10s %-9s %9s %9ld\n", to_text(collective), strategy_name(strategy).c_str(),
                         cell(table3(collective, strategy, n, table3_terms(timed, data)), "%.0f").c_str(),
                         static_cast<long>(corrected));
    }
  return text +
         formatted("\ntable 3: cycles, %zu bytes (gather at most 4), parameters %s\n%-10s %-9s %9s %9s\n",
                   bytes, parameters.c_str(), "collective", "strategy", "formula", "corrected") +
         third;
}

}  // namespace taihu::noc
