// SPDX-License-Identifier: Apache-2.0
// network-model: collectives on a simulated network, for several placements of a job.
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/base/input_file.h"
#include "taihu/base/output_file.h"
#include "taihu/base/program.h"
#include "taihu/base/program_options.h"
#include "taihu/model/message_trace.h"
#include "taihu/model/network_comparison.h"

namespace {

using namespace taihu;

struct Options {
  std::string network, collective = "alltoall", block = "512K", pictures;
  std::vector<int> nodes;
  int members = 4096;
  int placement = 0;
  long seed = 1;
  std::string trace;
  int per_node = 1;
  double exchange_factor = 1;
  bool json = false, forms = false;
  model::ComparisonOptions comparison;
};

void declare(CLI::App& app, Options& options) {
  app.set_version_flag("--version", "network-model " TAIHU_VERSION);
  app.add_option("--network", options.network,
                 "JSON file that describes the network (default: a fat tree of 160 supernodes\nof 256 nodes, "
                 "with 64 uplinks each, 6.8 GB/s a link)")
      ->type_name("FILE");
  app.add_option("--members", options.members, "node processes of the job, one a node (default 4096)")
      ->type_name("N");
  app.add_option("--collective", options.collective,
                 "alltoall, bcast, allgather, allreduce or reduce_scatter (default alltoall)")
      ->type_name("NAME");
  app.add_option("--block", options.block,
                 "what each sends to each; of bcast and allreduce the whole buffer (default 512K)")
      ->type_name("SIZE");
  app.add_option("--nodes", options.nodes,
                 "in place of the twelve placements: the members, in their order, on these nodes")
      ->type_name("N,N,...")
      ->delimiter(',');
  app.add_option("--placement", options.placement, "only this one of the twelve placements (default all)")
      ->type_name("1..12");
  app.add_option("--seed", options.seed, "of random placements (default 1)")->type_name("N");
  app.add_option("--stretches", options.comparison.stretches,
                 "simulate so many stretches of a long schedule (default 2); 0: all of it")
      ->type_name("N");
  app.add_option("--exchanges", options.comparison.exchanges,
                 "exchanges of each member in a stretch (default 48)")
      ->type_name("N");
  app.add_option("--jobs", options.comparison.jobs,
                 "placements simulated at the same time (default: all cores)")
      ->type_name("N");
  app.add_option("--pictures", options.pictures, "write PREFIX1.png, PREFIX2.png, ... for the placements")
      ->type_name("PREFIX");
  auto* const trace =
      app.add_option("--trace", options.trace,
                     "in place of a collective: the messages of a program, such as amgsolve --trace writes")
          ->type_name("FILE");
  app.add_option("--per-node", options.per_node, "with --trace: ranks of each node (default 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 16).description(""));
  app.add_option("--exchange-factor", options.exchange_factor,
                 "with --trace: the bytes of exchanges times this (default 1)")
      ->type_name("F");
  app.add_flag("--forms", options.forms,
               "tell all forms that the choice looks at: estimated as it is, and simulated");
  // A trace says itself what is sent, and a job that runs it has one placement.
  for (const char* const other : {"--collective", "--block", "--forms", "--pictures", "--placement",
                                  "--nodes", "--seed", "--members", "--stretches", "--exchanges"})
    trace->excludes(app.get_option(other));
  for (const char* const other : {"--members", "--placement", "--seed"})
    app.get_option("--nodes")->excludes(app.get_option(other));
  app.add_flag("--json", options.json, "print JSON");
}

void check(const Options& options) {
  if (options.forms && options.collective == "alltoall")
    throw UsageError("--forms is for the other collectives than alltoall");
  if (options.trace.empty() && (options.per_node != 1 || options.exchange_factor != 1))
    throw UsageError("--per-node and --exchange-factor go with --trace");
  if (options.forms && !options.pictures.empty()) throw UsageError("--forms draws no pictures");
  if (options.members < 1) throw UsageError("--members is from 1 on");
  if (options.placement < 0 || options.placement > 12) throw UsageError("--placement is from 1 to 12");
  if (options.comparison.stretches < 0) throw UsageError("--stretches is from 0 on");
  if (options.comparison.exchanges < 1) throw UsageError("--exchanges is from 1 on");
  if (options.comparison.jobs < 1 || options.comparison.jobs > 1024)
    throw UsageError("--jobs is from 1 to 1024");
}

std::optional<schedule::Collective> collective_named(const std::string& name) {
  using enum schedule::Collective;
  if (name == "alltoall") return std::nullopt;
  for (const schedule::Collective collective : {bcast, allgather, allreduce, reduce_scatter})
    if (name == name_of(collective)) return collective;
  throw UsageError("--collective is alltoall, bcast, allgather, allreduce or reduce_scatter, not '" + name +
                   "'");
}

std::vector<model::NetworkPlacement> placements_of(const Options& options,
                                                   const topology::Interconnect& network) {
  if (!options.nodes.empty()) {
    for (const int node : options.nodes)
      check_input(0 <= node && node < network.nodes(),
                  "--nodes names node " + std::to_string(node) + ", and the network has " +
                      std::to_string(network.nodes()) + " nodes, from 0 on");
    return {{"as given", options.nodes}};
  }
  auto all = model::twelve_placements(network, options.members, static_cast<std::uint64_t>(options.seed));
  if (options.placement > 0) return {all[static_cast<std::size_t>(options.placement - 1)]};
  return all;
}

/// The files of --pictures, looked at before the simulation, which may take minutes.
std::vector<std::string> picture_files(const Options& options, std::size_t placements) {
  std::vector<std::string> files;
  for (std::size_t k = 1; !options.pictures.empty() && k <= placements; ++k)
    files.push_back(writable_file(options.pictures + std::to_string(k) + ".png", "--pictures"));
  return files;
}

template <class Line>
void tell(const Options& options, const topology::Interconnect& network, const std::vector<Line>& lines) {
  const std::string text = options.json ? model::json_of(network, options.comparison, lines) + "\n"
                                        : model::text_of(network, options.comparison, lines);
  std::fputs(text.c_str(), stdout);
}

void replay(const Options& options, const topology::Interconnect& network) {
  const model::MessageTrace trace =
      model::parse_trace(read_file(options.trace), options.trace, options.exchange_factor);
  const model::NetworkTime time = model::simulate_trace(network, trace, options.per_node);
  const auto messages = static_cast<unsigned long long>(time.messages);
  std::printf(options.json
                  ? "{\"kind\": \"simulated\", \"ranks\": %d, \"per_node\": %d, \"seconds\": %.9g, "
                    "\"messages\": %llu, \"bytes\": %.17g}\n"
                  : "simulated: messages of %d ranks, %d on a node: %.6g s for %llu messages of %.6g bytes\n",
              trace.ranks(), options.per_node, time.seconds, messages, time.bytes);
}

int run(int argc, char** argv) {
  Options options;
  options.comparison.jobs = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  CLI::App app("Simulates a collective on a network for several placements of a job", "network-model");
  declare(app, options);
  if (!parse_command_line(app, argc, argv)) return 0;
  check(options);
  options.comparison.collective = collective_named(options.collective);
  options.comparison.progress = progress_on_terminal();
  options.comparison.block_bytes = static_cast<std::size_t>(size_option(options.block, "--block"));
  const std::unique_ptr<topology::Interconnect> network =
      options.network.empty() ? topology::make_interconnect(topology::FatTree{}, {})
                              : std::move(topology::read_interconnect(options.network).network);
  if (!options.trace.empty()) {
    replay(options, *network);
    return 0;
  }
  const std::vector<model::NetworkPlacement> placements = placements_of(options, *network);
  if (options.forms) {
    tell(options, *network, model::compare_forms(*network, placements, options.comparison));
    return 0;
  }
  const std::vector<std::string> pictures = picture_files(options, placements.size());
  const auto lines = model::compare_collective(*network, placements, options.comparison);
  tell(options, *network, lines);
  for (std::size_t k = 0; k < pictures.size(); ++k)
    model::save_picture(pictures[k], *network, placements[k], lines[k],
                        !options.comparison.collective.has_value());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return taihu::run_program("network-model", [&] { return run(argc, argv); });
}
