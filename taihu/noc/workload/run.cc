// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/workload/run.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "taihu/base/formatted.h"
#include "taihu/base/output_file.h"
#include "taihu/noc/collectives/model.h"
#include "taihu/noc/output/animation.h"
#include "taihu/noc/output/charts.h"

namespace taihu::noc {

namespace {

constexpr Cycle most_cycles_of_a_call = 100'000'000;

class PacketLog : public PacketObserver {
 public:
  void arrived(const Packet& packet, int hops, Cycle cycle) override {
    text_ += std::to_string(packet.created) + "," + std::to_string(cycle) + "," +
             std::to_string(packet.source) + "," + std::to_string(packet.destination) + "," +
             std::to_string(packet.flits) + "," + std::to_string(hops) + "\n";
  }
  std::string text_ = "created,arrived,source,destination,flits,hops\n";
};

void count_work(RunReport& report, const Network& network, const EnergyConfig& energy) {
  const Mesh& mesh = network.config().mesh;
  for (int kind = 0; kind < kinds; ++kind) report.packet_hops += network.packet_hops(static_cast<Kind>(kind));
  report.flit_hops += network.flit_hops();
  report.buffer_reads += network.buffer_reads();
  report.unit_words += network.unit_words();
  report.cycles += network.now();
  for (int router = 0; router < mesh.nodes(); ++router)
    for (int port = 0; port < output_ports; ++port)
      report.busiest_link =
          std::max(report.busiest_link, static_cast<double>(network.flits_over(router, port)) /
                                            static_cast<double>(std::max<Cycle>(1, network.now())));
  report.energy_pj += static_cast<double>(network.flit_hops()) * energy.link_flit +
                      static_cast<double>(network.buffer_reads()) * energy.buffer_flit +
                      static_cast<double>(network.unit_words()) * energy.arithmetic_word;
}

void write_link_outputs(const RunConfig& config, const Network& network, const std::string& parameters) {
  if (!config.output.links.empty()) write_file(config.output.links, link_table(network));
  if (!config.output.heat_map.empty())
    heat_map(network, "link load, " + network.config().mesh.describe() + parameters)
        .save_png(config.output.heat_map);
}

RunReport run_traffic_only(const RunConfig& config) {
  RunReport report;
  Network network(config.machine.network);
  PacketLog log;
  const bool wants_log = !config.output.packets.empty();
  report.load = measure_load(network, config.traffic, config.times, wants_log ? &log : nullptr);
  if (wants_log) write_file(config.output.packets, log.text_);
  count_work(report, network, config.energy);
  write_link_outputs(config, network, "");
  return report;
}

/// The operations of one parameter set on one machine.
class OperationsRun {
 public:
  OperationsRun(const RunConfig& config, const Costs& costs, RunReport& report)
      : config_(config), report_(report), machine_(with(config.machine, costs)) {}

  void run() {
    for (const NamedCommunicator& each : config_.communicators) {
      numbers_.push_back(machine_.make_communicator(each.members));
      const Communicator& made = machine_.communicator(numbers_.back());
      report_.learning_cycles.push_back(made.learning_cycles);
      report_.in_hardware.push_back(made.hardware);
    }
    if (config_.has_traffic) machine_.run_traffic(config_.times.warm_up);
    Animation animation(machine_.network());
    start_all(machine_.now());
    if (!config_.output.animation.empty()) machine_.network().moves = &animation.moves;
    machine_.on_cycle =
        config_.output.animation.empty() ? std::function<void()>{} : [&] { animation.cycle(); };
    run_calls();
    for (std::size_t index = 0; index < config_.operations.size(); ++index) check(index);
    count_work(report_, machine_.network(), config_.energy);
    for (int router = 0; router < machine_.network().config().mesh.nodes(); ++router)
      if (const CollectiveUnit* unit = machine_.network().collective_unit(router))
        report_.reorder_packets = std::max(report_.reorder_packets, unit->parked_most);
    report_.background_packets = machine_.background_packets();
    report_.background_latency = machine_.background_latency();
    write_link_outputs(config_, machine_.network(), ", " + machine_.config().costs.name);
    if (!config_.output.animation.empty()) write_file(config_.output.animation, animation.to_html());
  }

 private:
  struct Call {
    Cycle start;
    int number;  // of the machine's operation
  };

  static MachineConfig with(MachineConfig machine, const Costs& costs) {
    machine.costs = costs;
    return machine;
  }

  /// All calls in the order of their times, which is the order in which a communicator's members call them.
  void start_all(Cycle base) {
    std::vector<std::pair<Cycle, std::size_t>> calls;
    for (std::size_t index = 0; index < config_.operations.size(); ++index) {
      const PlannedOperation& planned = config_.operations[index];
      for (int repeat = 0; repeat < planned.repeat; ++repeat)
        calls.emplace_back(planned.operation.start + repeat * planned.every, index);
    }
    std::stable_sort(calls.begin(), calls.end(),
                     [](const auto& one, const auto& other) { return one.first < other.first; });
    started_.resize(config_.operations.size());
    for (const auto& [when, index] : calls) start(index, base + when);
  }

  /// Runs until all calls have ended, looked at in the order of their times. Throws Error where one does not
  /// end: its cycles count from when those before it had ended, for which it may have to wait.
  void run_calls() {
    for (const Call& call : calls_)
      machine_.run_until([&] { return machine_.outcome(call.number).done; },
                         std::max(machine_.now(), call.start) + most_cycles_of_a_call);
  }

  void start(std::size_t index, Cycle when) {
    Operation operation = config_.operations[index].operation;
    const auto& members = config_.communicators[static_cast<std::size_t>(operation.communicator)].members;
    operation.communicator = numbers_[static_cast<std::size_t>(operation.communicator)];
    operation.start = when;
    fill_data(operation, static_cast<int>(members.size()),
              config_.seed + (index + 1) * 1000003 + started_[index].size());
    started_[index].push_back(machine_.start(std::move(operation)));
    calls_.push_back({when, started_[index].back()});
  }

  void check(std::size_t index) {
    const PlannedOperation& planned = config_.operations[index];
    const NamedCommunicator& communicator =
        config_.communicators[static_cast<std::size_t>(planned.operation.communicator)];
    OperationReport row;
    row.parameters = machine_.config().costs.name;
    row.collective = to_text(planned.operation.collective);
    row.communicator = communicator.name;
    row.arithmetic = to_text(planned.operation.arithmetic);
    row.bytes = planned.operation.bytes;
    row.repeats = planned.repeat;
    row.least = std::numeric_limits<Cycle>::max();
    for (const int number : started_[index]) {
      const Outcome& outcome = machine_.outcome(number);
      const int members = static_cast<int>(communicator.members.size());
      check_input(outcome.results == reference_results(machine_.operation(number), members),
                  config_.path + ": wrong result of " + row.collective + " on '" + communicator.name + "'");
      row.by_hardware = outcome.by_hardware;
      row.least = std::min(row.least, outcome.cycles());
      row.most = std::max(row.most, outcome.cycles());
      row.mean += static_cast<double>(outcome.cycles()) / planned.repeat;
      const Communicator& made = machine_.communicator(machine_.operation(number).communicator);
      row.predicted = row.by_hardware
                          ? predict_hardware(machine_.config(), made.tree, machine_.operation(number))
                          : predict_software(machine_.config(), members, machine_.operation(number));
    }
    report_.operations.push_back(row);
  }

  const RunConfig& config_;
  RunReport& report_;
  Machine machine_;
  std::vector<int> numbers_;
  std::vector<std::vector<int>> started_;  // numbers of the calls of each operation
  std::vector<Call> calls_;                // in the order of their times
};

}  // namespace

RunReport run_config(const RunConfig& config) {
  for (const std::string& file :
       {config.output.packets, config.output.links, config.output.heat_map, config.output.animation})
    if (!file.empty()) writable_file(file, "[output]");
  if (config.operations.empty()) return run_traffic_only(config);
  RunReport report;
  for (const Costs& costs : config.parameters) {
    report.learning_cycles.clear();
    report.in_hardware.clear();
    OperationsRun(config, costs, report).run();
  }
  return report;
}

std::vector<LoadPoint> sweep(const RunConfig& config, const std::vector<double>& loads,
                             const Progress& progress) {
  std::vector<LoadPoint> points(loads.size());
  in_parallel(
      static_cast<int>(loads.size()),
      [&](int at) {
        TrafficConfig traffic = config.traffic;
        traffic.load = loads[static_cast<std::size_t>(at)];
        points[static_cast<std::size_t>(at)] = measure_load(config.machine.network, traffic, config.times);
      },
      progress);
  return points;
}

std::string to_text(const RunReport& report) {
  std::string text;
  if (report.load) {
    const LoadPoint& load = *report.load;
    text += formatted(
        "offered %.4f, accepted %.4f flits per node and cycle%s\n"
        "latency: mean %.2f, median %.0f, 95%% %.0f, 99%% %.0f, largest %ld cycles; %.3f hops; %lu packets\n",
        load.offered, load.accepted, load.saturated ? " (saturated)" : "", load.mean, load.p50, load.p95,
        load.p99, static_cast<long>(load.largest), load.mean_hops, static_cast<unsigned long>(load.packets));
  }
  if (!report.operations.empty()) {
    text += formatted("%-10s %-10s %-12s %8s %8s %-9s %10s %10s %10s %10s\n", "parameters", "collective",
                      "communicator", "bytes", "repeats", "by", "mean", "least", "most", "predicted");
  }
  for (const OperationReport& row : report.operations) {
    text += formatted("%-10s %-10s %-12s %8zu %8d %-9s %10.1f %10ld %10ld %10ld\n", row.parameters.c_str(),
                      row.collective.c_str(), row.communicator.c_str(), row.bytes, row.repeats,
                      row.by_hardware ? "routers" : "software", row.mean, static_cast<long>(row.least),
                      static_cast<long>(row.most), static_cast<long>(row.predicted));
  }
  if (!report.operations.empty()) text += "all results agree with the sequential reference\n";
  for (std::size_t number = 0; number < report.learning_cycles.size(); ++number) {
    text += formatted("communicator %zu: set up in %ld cycles, %s\n", number,
                      static_cast<long>(report.learning_cycles[number]),
                      report.in_hardware[number] ? "known to the routers" : "collectives in software");
  }
  if (report.background_packets != 0) {
    text += formatted("ordinary traffic at the same time: %lu packets, mean latency %.2f\n",
                      static_cast<unsigned long>(report.background_packets), report.background_latency);
  }
  text += formatted(
      "%ld cycles; packet hops %lu, flit hops %lu, buffer reads %lu, words combined in routers "
      "%lu; busiest link %.3f\n",
      static_cast<long>(report.cycles), static_cast<unsigned long>(report.packet_hops),
      static_cast<unsigned long>(report.flit_hops), static_cast<unsigned long>(report.buffer_reads),
      static_cast<unsigned long>(report.unit_words), report.busiest_link);
  if (report.reorder_packets != 0)
    text +=
        "fixed order: at most " + std::to_string(report.reorder_packets) + " packets parked in one router\n";
  if (report.energy_pj > 0) {
    text += formatted("energy with the given costs: %.1f nJ\n", report.energy_pj / 1000);
  }
  return text;
}

std::string to_json(const RunReport& report) {
  nlohmann::ordered_json json;
  if (report.load) {
    const LoadPoint& load = *report.load;
    json["load"] = {{"offered", load.offered}, {"accepted", load.accepted},
                    {"mean", load.mean},       {"p50", load.p50},
                    {"p95", load.p95},         {"p99", load.p99},
                    {"largest", load.largest}, {"hops", load.mean_hops},
                    {"packets", load.packets}, {"saturated", load.saturated}};
  }
  for (const OperationReport& row : report.operations)
    json["operations"].push_back({{"parameters", row.parameters},
                                  {"collective", row.collective},
                                  {"communicator", row.communicator},
                                  {"bytes", row.bytes},
                                  {"repeats", row.repeats},
                                  {"by", row.by_hardware ? "routers" : "software"},
                                  {"mean", row.mean},
                                  {"least", row.least},
                                  {"most", row.most},
                                  {"predicted", row.predicted}});
  json["learning_cycles"] = report.learning_cycles;
  json["background"] = {{"packets", report.background_packets}, {"latency", report.background_latency}};
  json["cycles"] = report.cycles;
  json["packet_hops"] = report.packet_hops;
  json["flit_hops"] = report.flit_hops;
  json["buffer_reads"] = report.buffer_reads;
  json["words_combined"] = report.unit_words;
  json["busiest_link"] = report.busiest_link;
  json["reorder_packets"] = report.reorder_packets;
  if (report.energy_pj > 0) json["energy_pj"] = report.energy_pj;
  return json.dump(2) + "\n";
}

}  // namespace taihu::noc
