// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/replay.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "taihu/base/formatted.h"
#include "taihu/noc/config.h"

namespace taihu::noc {

namespace {

std::int64_t whole(const nlohmann::json& value, const char* what) {
  check_input(value.is_number_integer(), std::string(what) + " is not a whole number");
  return value.get<std::int64_t>();
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() < 64 &&
         std::all_of(
             text.begin(), text.end(),
             [](unsigned char each) { return std::isalnum(each) != 0 || each == '_'; });
}

TracedCall parse_line(const nlohmann::json& line) {
  TracedCall call;
  call.operation = line.at("operation").get<std::string>();
  check_input(is_name(call.operation), "operation is no name of an MPI call");
  const std::int64_t size = whole(line.at("size"), "size");
  check_input(size >= 1 && size <= 16384, "the size of the communicator is not from 1 to 16384");
  call.size = static_cast<int>(size);
  if (line.contains("root")) {
    const std::int64_t root = whole(line.at("root"), "root");
    check_input(root >= 0 && root < size, "the root is not in the communicator");
    call.root = static_cast<int>(root);
  }
  for (const nlohmann::json& each : line.at("bytes")) whole(each, "an entry of bytes");
  const auto bytes = line.at("bytes").get<std::vector<std::int64_t>>();
  const auto begins = line.at("begin_us").get<std::vector<double>>();
  const auto ends = line.at("end_us").get<std::vector<double>>();
  check_input(!bytes.empty() && bytes.size() == begins.size() && bytes.size() == ends.size(),
              "bytes, begin_us and end_us are not lists of the same length");
  check_input(static_cast<std::int64_t>(bytes.size()) <= size, "more members than the communicator has");
  check_input(*std::min_element(bytes.begin(), bytes.end()) >= 0, "bytes are negative");
  call.bytes = static_cast<std::size_t>(*std::max_element(bytes.begin(), bytes.end()));
  call.begin_us = *std::min_element(begins.begin(), begins.end());
  call.end_us = *std::max_element(ends.begin(), ends.end());
  call.ranks = static_cast<int>(bytes.size());
  const double last_us = *std::max_element(begins.begin(), begins.end());
  for (std::size_t member = 0; member < bytes.size(); ++member) {
    check_input(std::isfinite(begins[member]) && ends[member] >= begins[member],
                "a member leaves before it comes");
    call.rank_us += ends[member] - begins[member];
    call.waiting_us += std::min(last_us, ends[member]) - begins[member];
  }
  return call;
}

/// Which collective of the routers an MPI call is; none for those that stay in software.
std::optional<Collective> collective_of(const std::string& operation) {
  static const std::map<std::string, Collective> known = {
      {"MPI_Barrier", Collective::barrier},     {"MPI_Ibarrier", Collective::barrier},
      {"MPI_Bcast", Collective::broadcast},     {"MPI_Ibcast", Collective::broadcast},
      {"MPI_Reduce", Collective::reduce},       {"MPI_Ireduce", Collective::reduce},
      {"MPI_Allreduce", Collective::allreduce}, {"MPI_Iallreduce", Collective::allreduce},
      {"MPI_Gather", Collective::gather},       {"MPI_Igather", Collective::gather}};
  const auto found = known.find(operation);
  if (found == known.end()) return std::nullopt;
  return found->second;
}

/// Simulated cycles of one call.
struct Timing {
  double hardware = 0, software = 0;
  bool left_to_software = false;
};

constexpr std::size_t simulated_bytes = 65536;  ///< of all members; longer calls are software's anyway
/// Calls that move more are not simulated: whatever the routers do, they take the time that they took.
constexpr std::size_t most_simulated_bytes = 1 << 26;

bool is_simulated(const TracedCall& call) {
  return collective_of(call.operation) && call.size >= 2 &&
         call.bytes <= most_simulated_bytes / static_cast<std::size_t>(call.size);
}

Timing time_call(const MachineConfig& config, Collective collective, int size, int root, std::size_t bytes) {
  std::vector<int> members(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) members[static_cast<std::size_t>(rank)] = rank;
  const auto run = [&](Means means, bool& by_hardware) {
    Machine machine(config);
    Operation operation;
    operation.collective = collective;
    operation.communicator = machine.make_communicator(members);
    operation.root = std::max(0, root);  // -1: the call has none
    operation.bytes = collective == Collective::barrier ? 0 : bytes;
    if (collective == Collective::reduce || collective == Collective::allreduce)
      operation.bytes = (bytes + 7) / 8 * 8;
    operation.means = means;
    fill_data(operation, size, 1);
    const int number = machine.start(operation);
    machine.run();
    check_input(machine.outcome(number).results == reference_results(machine.operation(number), size),
                "wrong result of a replayed collective");
    by_hardware = machine.outcome(number).by_hardware;
    return static_cast<double>(machine.outcome(number).cycles());
  };
  Timing timing;
  bool by_hardware = false;
  timing.software = run(Means::software, by_hardware);
  timing.hardware = bytes > simulated_bytes / static_cast<std::size_t>(size)
                        ? timing.software
                        : run(Means::automatic, by_hardware);
  timing.left_to_software = !by_hardware;
  return timing;
}

MachineConfig machine_for(const std::vector<TracedCall>& calls, const ReplayConfig& config,
                          const Costs& costs) {
  int ranks = 2;
  for (const TracedCall& call : calls) ranks = std::max(ranks, call.size);
  int width = config.width, height = config.height;
  if (width == 0) {
    width = static_cast<int>(std::ceil(std::sqrt(ranks)));
    height = (ranks + width - 1) / width;
  }
  check_input(width * height >= ranks,
              "the mesh has fewer nodes than the trace has ranks (" + std::to_string(ranks) + ")");
  MachineConfig machine;
  machine.network.mesh = Mesh(width, height, false, Routing::yx);
  machine.network.reuse = Reuse::cut_through;
  machine.tree_root = middle_node(machine.network.mesh);
  machine.network.levels = placement(machine.network.mesh, config.placed, machine.tree_root);
  machine.costs = costs;
  return machine;
}

}  // namespace

std::vector<TracedCall> parse_trace(const std::string& text, const std::string& path) {
  std::vector<TracedCall> calls;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    try {
      calls.push_back(parse_line(nlohmann::json::parse(line)));
    } catch (const nlohmann::json::exception& error) {
      throw Error(path + ":" + std::to_string(number) + ": not a line of marun --trace-collectives (" +
                  error.what() + ")");
    } catch (const Error& error) {
      throw Error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  check_input(!calls.empty(), path + ": no collective call in it");
  return calls;
}

std::vector<TracedCall> read_trace(const std::string& path) {
  check_input(!std::filesystem::is_directory(path), path + ": is a folder");
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  check_input(static_cast<bool>(file) && !text.str().empty(), path + ": cannot be read or is empty");
  return parse_trace(text.str(), path);
}

ReplayReport replay(const std::vector<TracedCall>& calls, const ReplayConfig& config, const Costs& costs,
                    const Progress& progress) {
  const MachineConfig machine = machine_for(calls, config, costs);
  using Shape = std::tuple<Collective, int, int, std::size_t>;
  const auto shape_of = [](const TracedCall& call) {
    return Shape{*collective_of(call.operation), call.size, call.root, call.bytes};
  };
  std::map<Shape, Timing> timings;
  for (const TracedCall& call : calls)
    if (is_simulated(call)) timings[shape_of(call)];
  std::vector<std::pair<Shape, Timing*>> work;
  for (auto& [shape, timing] : timings) work.emplace_back(shape, &timing);
  in_parallel(
      static_cast<int>(work.size()),
      [&](int at) {
        const auto& [collective, size, root, bytes] = work[static_cast<std::size_t>(at)].first;
        *work[static_cast<std::size_t>(at)].second = time_call(machine, collective, size, root, bytes);
      },
      progress);

  ReplayReport report;
  report.parameters = costs.name;
  double begin = calls.front().begin_us, end = calls.front().end_us, inside = 0, waiting = 0, saved = 0;
  std::map<std::string, ReplayRow> rows;
  std::map<std::string, std::pair<double, double>> cycles;
  std::map<std::string, std::size_t> simulated;
  for (const TracedCall& call : calls) {
    begin = std::min(begin, call.begin_us);
    end = std::max(end, call.end_us);
    report.ranks = std::max(report.ranks, call.size);
    inside += call.rank_us;
    waiting += call.waiting_us;
    ReplayRow& row = rows[call.operation];
    row.operation = call.operation;
    ++row.calls;
    row.share += call.rank_us;
    row.waiting += call.waiting_us;
    if (!is_simulated(call)) {
      row.left_to_software += collective_of(call.operation) && call.size >= 2;
      continue;
    }
    const Timing& timing = timings[shape_of(call)];
    row.supported = true;
    ++simulated[call.operation];
    row.left_to_software += timing.left_to_software;
    cycles[call.operation].first += timing.software;
    cycles[call.operation].second += timing.hardware;
    // A call that moves nothing takes no cycles in either.
    if (timing.software > 0)
      saved += (call.rank_us - call.waiting_us) * (1 - timing.hardware / timing.software);
  }
  report.program_us = end - begin;
  const double total = std::max(1e-9, report.program_us * report.ranks);
  report.collective_share = inside / total;
  report.waiting_share = waiting / total;
  report.program_speedup = 1 / std::max(1e-9, 1 - std::min(saved / total, 1.0));
  for (auto& [name, row] : rows) {
    row.share /= total;
    row.waiting /= total;
    if (row.supported) {
      const auto calls_of = static_cast<double>(simulated[name]);
      row.software_cycles = cycles[name].first / calls_of;
      row.hardware_cycles = cycles[name].second / calls_of;
      row.ratio = row.hardware_cycles > 0 ? row.software_cycles / row.hardware_cycles : 1;
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
      "%-24s %8s %8s %8s %12s %12s %8s %12s\n",
      report.parameters.c_str(), report.ranks, report.program_us, 100 * report.collective_share,
      100 * report.waiting_share, "call", "calls", "share", "waiting", "software", "routers", "ratio",
      "to software");
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
             "the program would be %.3f times as fast with such routers: waiting for the last member stays\n",
             report.program_speedup);
}

}  // namespace taihu::noc
