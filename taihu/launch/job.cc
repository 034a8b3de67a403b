// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/job.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>

#include "taihu/base/error.h"
#include "taihu/base/mpi_launcher.h"
#include "taihu/base/nearest.h"
#include "taihu/base/units.h"
#include "taihu/launch/environment_variables.h"
#include "taihu/memory/process_settings.h"
#include "taihu/topology/network.h"

namespace taihu::launch {
namespace {

/// Reads typed values and names the variable when one is wrong.
class Reader {
 public:
  explicit Reader(const EnvironmentMap& environment) : environment_(environment) {}

  std::string text(const std::string& name) const {
    auto found = environment_.find(name);
    return found == environment_.end() ? std::string() : found->second;
  }

  int number(const std::string& name, int least, int otherwise) const {
    const std::string value = text(name);
    if (value.empty()) return otherwise;
    int number = 0;
    auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    check_input(error == std::errc() && end == value.data() + value.size() && number >= least,
                name + "=" + value + " is not a number from " + std::to_string(least) +
                    " on; start the job with parcrun or marun, which set it");
    return number;
  }

  double seconds(const std::string& name, double otherwise = 0) const {
    const std::string value = text(name);
    if (value.empty()) return otherwise;
    char* end = nullptr;
    const double seconds = std::strtod(value.c_str(), &end);
    check_input(*end == '\0' && seconds >= 0,
                name + "=" + value + " is not a time; start the job with marun, which sets it");
    return seconds;
  }

  bool flag(const std::string& name) const { return number(name, 0, 0) != 0; }

 private:
  const EnvironmentMap& environment_;
};

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(':', start), text.size());
    if (end > start) items.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return items;
}

/// Decimal, as short as exact.
std::string to_text(double seconds) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), seconds).ptr};
}

int index_on_node(const Reader& reader) {
  for (const char* name : index_on_node_variables)
    if (!reader.text(name).empty()) return reader.number(name, 0, 0);
  return 0;
}

}  // namespace

EnvironmentMap to_environment(const JobParameters& job) {
  std::string libraries;
  for (const std::string& library : job.private_libraries)
    libraries += (libraries.empty() ? "" : ":") + library;
  return {{"TAIHU_RANKS", std::to_string(job.ranks)},
          {"TAIHU_UNIVERSE_SIZE", std::to_string(job.universe)},
          {"TAIHU_PROCESSES", std::to_string(job.processes)},
          {"TAIHU_PROCESSES_PER_NODE", std::to_string(job.processes_per_node)},
          {"TAIHU_THREADS", std::to_string(job.threads)},
          {"TAIHU_SNODE", std::to_string(job.scopes.snode)},
          {"TAIHU_BNODE", std::to_string(job.scopes.bnode)},
          {"TAIHU_NODE", std::to_string(job.scopes.node)},
          {"TAIHU_BIND", to_text(job.bind)},
          {"TAIHU_REPORT_BINDINGS", std::to_string(job.report_bindings)},
          {"TAIHU_TAG_OUTPUT", std::to_string(job.tag_output)},
          {"TAIHU_EMULATE_NODES", std::to_string(job.emulate_nodes)},
          {"TAIHU_VERBOSE", std::to_string(job.verbose)},
          {"TAIHU_PRIVATE_LIBRARIES", libraries},
          {"TAIHU_RANK_DIRECTORY", job.rank_directory},
          {"TAIHU_MPI", job.mpi},
          {"TAIHU_STATS", std::to_string(job.stats)},
          {"TAIHU_TRACE", job.trace},
          {"TAIHU_TRACE_COLLECTIVES", job.trace_collectives},
          {"TAIHU_DEADLOCK_TIMEOUT", to_text(job.deadlock_timeout_seconds)},
          {"TAIHU_NODE_TIMEOUT", to_text(job.node_timeout_seconds)},
          {"TAIHU_TASK_DEADLINE", to_text(job.task_deadline_seconds)},
          {"TAIHU_TASK_PROGRESS", to_text(job.task_progress_seconds)},
          {"TAIHU_RESTART", job.restart},
          {"TAIHU_PROGRAM_NAME", job.program_name}};
}

JobParameters from_environment(const EnvironmentMap& environment) {
  const Reader reader(environment);
  JobParameters job;
  job.ranks = reader.number("TAIHU_RANKS", 1, 1);
  job.universe = reader.number("TAIHU_UNIVERSE_SIZE", 0, 0);
  job.processes = reader.number("TAIHU_PROCESSES", 1, 1);
  job.processes_per_node = reader.number("TAIHU_PROCESSES_PER_NODE", 1, 1);
  check_input(job.processes <= job.ranks,
              "TAIHU_PROCESSES is larger than TAIHU_RANKS; start the job with parcrun or marun");
  job.process_on_node = job.processes > 1 ? index_on_node(reader) : 0;
  check_input(job.process_on_node < job.processes_per_node,
              "the launcher put more than " + std::to_string(job.processes_per_node) + " node processes on " +
                  topology::host_name() + "; give the hosts with --host or --hostfile");
  job.threads = reader.number("TAIHU_THREADS", 0, 0);
  job.scopes.snode = reader.number("TAIHU_SNODE", 0, 0);
  job.scopes.bnode = reader.number("TAIHU_BNODE", 0, 0);
  job.scopes.node = reader.number("TAIHU_NODE", 0, 0);
  if (const std::string bind = reader.text("TAIHU_BIND"); !bind.empty()) job.bind = parse_bind_policy(bind);
  job.report_bindings = reader.flag("TAIHU_REPORT_BINDINGS");
  job.tag_output = reader.flag("TAIHU_TAG_OUTPUT");
  job.emulate_nodes = reader.flag("TAIHU_EMULATE_NODES");
  job.verbose = reader.flag("TAIHU_VERBOSE");
  job.private_libraries = split_list(reader.text("TAIHU_PRIVATE_LIBRARIES"));
  job.rank_directory = reader.text("TAIHU_RANK_DIRECTORY");
  job.mpi = reader.text("TAIHU_MPI");
  job.stats = reader.flag("TAIHU_STATS");
  job.trace = reader.text("TAIHU_TRACE");
  job.trace_collectives = reader.text("TAIHU_TRACE_COLLECTIVES");
  job.deadlock_timeout_seconds = reader.seconds("TAIHU_DEADLOCK_TIMEOUT");
  job.node_timeout_seconds = node_timeout_seconds(environment);
  job.task_deadline_seconds = reader.seconds("TAIHU_TASK_DEADLINE");
  job.task_progress_seconds = reader.seconds("TAIHU_TASK_PROGRESS");
  job.restart = reader.text("TAIHU_RESTART");
  job.program_name = reader.text("TAIHU_PROGRAM_NAME");
  return job;
}

double node_timeout_seconds(const EnvironmentMap& environment) {
  return Reader(environment).seconds("TAIHU_NODE_TIMEOUT", JobParameters().node_timeout_seconds);
}

void from_command_line(JobParameters& job, int argc, const char* const* argv) {
  if (argc < 2)
    throw UsageError("no program given; this is an internal program, start jobs with parcrun or marun");
  job.program = argv[1];
  if (job.program_name.empty()) job.program_name = job.program;
  job.arguments.assign(argv + 2, argv + argc);
}

EnvironmentMap current_environment() {
  EnvironmentMap result;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string text = *entry;
    if (const std::size_t equals = text.find('='); equals != text.npos && equals > 0)
      result.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

std::vector<std::string> environment_warnings(const EnvironmentMap& environment) {
  std::vector<std::string> known;
  for (const EnvironmentVariable& variable : environment_variables()) known.emplace_back(variable.name);
  std::vector<std::string> warnings;
  for (const auto& [name, value] : environment)
    if (name.starts_with("TAIHU_") && std::find(known.begin(), known.end(), name) == known.end())
      warnings.push_back("unknown environment variable " + name + suggestion(name, known));
  return warnings;
}

Host this_host(const JobParameters& job, const topology::Machine& machine) {
  Host host{topology::host_name(), topology::network_position().path, machine.numa_nodes_with_cpus()};
  if (job.emulate_nodes) host.name += "#" + std::to_string(job.process_on_node);
  return host;
}

NodeShare node_share(const JobParameters& job, const Layout& layout, int process) {
  // Processes are numbered node after node, processes_per_node each.
  const int first_process = std::max(0, process - job.process_on_node);
  const int last_process = std::min(first_process + job.processes_per_node, layout.processes);
  const int node_start = layout.first_rank[first_process];
  return {layout.first_rank[last_process] - node_start, layout.first_rank[process] - node_start,
          layout.first_rank[process + 1] - layout.first_rank[process]};
}

std::size_t rank_stack_bytes(const EnvironmentMap& environment) {
  constexpr std::int64_t smallest = 64 << 10;
  if (auto given = environment.find("TAIHU_STACK_SIZE");
      given != environment.end() && !given->second.empty()) {
    const std::int64_t bytes = parse_bytes(given->second, "TAIHU_STACK_SIZE");
    check_input(bytes >= smallest, "TAIHU_STACK_SIZE is below 64K");
    return static_cast<std::size_t>(bytes);
  }
  return memory::rank_stack_bytes();
}

}  // namespace taihu::launch
