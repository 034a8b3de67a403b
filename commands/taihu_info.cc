// SPDX-License-Identifier: Apache-2.0
// taihu-info: shows this node as the runtime sees it, and the scopes and bindings that a job would get here.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "taihu/base/error.h"
#include "taihu/base/program.h"
#include "taihu/base/program_options.h"
#include "taihu/launch/binding.h"
#include "taihu/launch/environment_variables.h"
#include "taihu/launch/job.h"
#include "taihu/topology/machine.h"
#include "taihu/topology/network.h"

namespace {

using namespace taihu;
using nlohmann::ordered_json;

struct Options {
  std::string machine;  ///< empty: the live one
  int ranks = 0;        ///< 0: not asked for
  int threads = 0;
  bool settings = false;
  bool json = false;
};

/// Scopes and bindings of a job of `ranks` ranks in one node process on this machine.
struct Plan {
  launch::Layout layout;
  int threads = 1;
  launch::Binding binding;
};

Plan plan_for(const Options& options, const topology::Machine& machine, const std::string& path) {
  Plan plan;
  plan.layout =
      launch::make_layout(options.ranks, {{topology::host_name(), path, machine.numa_nodes_with_cpus()}}, {});
  plan.threads = launch::choose_threads(machine, options.ranks, options.threads);
  plan.binding = launch::plan_binding(machine, {options.ranks, 0, options.ranks}, plan.threads,
                                      launch::BindPolicy::automatic);
  return plan;
}

void print_text(const Options& options, const topology::Machine& machine,
                const topology::NetworkPosition& position) {
  std::fputs(topology::describe(machine).c_str(), stdout);
  std::printf("host: %s\n", topology::host_name().c_str());
  if (position.path.empty())
    std::printf("network position: unknown (name the switches in a file and set TAIHU_TOPOLOGY_FILE)\n");
  else
    std::printf("network position: %s (from %s)\n", position.path.c_str(), position.source.c_str());
  if (options.ranks == 0) return;
  const Plan plan = plan_for(options, machine, position.path);
  const launch::ScopeSizes& sizes = plan.layout.sizes;
  std::printf(
      "job of %d ranks in one node process: CCC_SNODE %d, CCC_BNODE %d, CCC_NODE %d, CCC_ARRAY %d, bind %s\n",
      options.ranks, sizes.snode, sizes.bnode, sizes.node, plan.threads,
      launch::to_text(plan.binding.policy).c_str());
  std::fputs(launch::report(plan.binding, machine, topology::host_name(), 0).c_str(), stdout);
}

void print_json(const Options& options, const topology::Machine& machine,
                const topology::NetworkPosition& position) {
  ordered_json json;
  json["version"] = TAIHU_VERSION;
  json["machine"] = ordered_json::parse(topology::to_json(machine));
  json["host"] = topology::host_name();
  json["network"] = {{"path", position.path}, {"source", position.source}};
  if (options.ranks > 0) {
    const Plan plan = plan_for(options, machine, position.path);
    const launch::ScopeSizes& sizes = plan.layout.sizes;
    json["job"] = {{"ranks", options.ranks},  {"snode", sizes.snode},
                   {"bnode", sizes.bnode},    {"node", sizes.node},
                   {"threads", plan.threads}, {"bind", launch::to_text(plan.binding.policy)}};
    for (const launch::RankBinding& rank : plan.binding.ranks)
      json["job"]["rank_cpus"].push_back(rank.cpus.cpus());
  }
  std::printf("%s\n", json.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
}

void print_settings_as_text() {
  for (const launch::EnvironmentVariable& variable : launch::environment_variables()) {
    const std::string name(variable.name), meaning(variable.meaning);
    const char* value = std::getenv(name.c_str());
    const bool is_set = value != nullptr && *value != '\0';
    const std::string shown = is_set ? one_line(value) : std::string(variable.otherwise);
    std::printf("%s=%s%s\n    %s: %s", name.c_str(), shown.c_str(), is_set ? "  (set)" : "",
                std::string(variable.read_by).c_str(), meaning.c_str());
    std::printf("; %s\n", variable.set_by == launch::SetBy::user ? std::string(variable.values).c_str()
                                                                 : "set by the launcher");
  }
}

void print_settings_as_json() {
  ordered_json rows = ordered_json::array();
  for (const launch::EnvironmentVariable& variable : launch::environment_variables()) {
    const char* value = std::getenv(std::string(variable.name).c_str());
    rows.push_back({{"name", variable.name},
                    {"set_by", variable.set_by == launch::SetBy::user ? "user" : "launcher"},
                    {"read_by", variable.read_by},
                    {"values", variable.values},
                    {"default", variable.otherwise},
                    {"meaning", variable.meaning},
                    {"value", value == nullptr ? ordered_json() : ordered_json(value)}});
  }
  std::printf("%s\n", rows.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Shows this node as Taihu's runtime sees it", "taihu-info");
  app.set_version_flag("--version", "taihu-info " TAIHU_VERSION);
  app.add_option("--machine", options.machine,
                 "another machine than this one: an hwloc XML file, or a text\nsuch as \"package:2 "
                 "numanode:2 core:4 pu:2\"")
      ->type_name("FILE|TEXT");
  app.add_option("-n,--np", options.ranks, "also show scopes and bindings of a job of N ranks")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 24).description(""));
  app.add_option("--threads", options.threads,
                 "with -n: accelerator threads per rank (default: cores / ranks, at least 1)")
      ->type_name("T")
      ->check(CLI::Range(1, 1 << 20).description(""));
  app.add_flag("--settings", options.settings,
               "show the environment variables that Taihu reads, with their values here, and nothing else");
  app.add_flag("--json", options.json, "print JSON");
  if (!parse_command_line(app, argc, argv)) return 0;
  if (options.settings) {
    (options.json ? print_settings_as_json : print_settings_as_text)();
    return 0;
  }
  const topology::Machine machine = options.machine.empty()
                                        ? topology::live_machine()
                                        : topology::machine_from_file_or_text(options.machine);
  const topology::NetworkPosition position = topology::network_position();
  (options.json ? print_json : print_text)(options, machine, position);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return taihu::run_program("taihu-info", [&] { return run(argc, argv); });
}
