// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/launch_plan.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "taihu/base/error.h"
#include "taihu/base/input_file.h"
#include "taihu/base/shell_word.h"
#include "taihu/topology/network.h"

namespace taihu::launch {
namespace {

std::string value_of(const EnvironmentMap& environment, const std::string& name) {
  auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

/// The nodes of the job: their number, and their names where the user or a batch system gave them.
struct Nodes {
  int count = 1;
  std::vector<std::string> names;
  bool remote = false;  ///< the only node is not this one
};

bool is_this_host(const std::string& name, const Surroundings& surroundings) {
  return name == "localhost" || name == "127.0.0.1" ||
         name.substr(0, name.find('.')) == surroundings.host_name.substr(0, surroundings.host_name.find('.'));
}

Nodes nodes_of(const RunOptions& options, const Surroundings& surroundings) {
  Nodes nodes;
  const EnvironmentMap& environment = surroundings.environment;
  const std::string pbs = value_of(environment, "PBS_NODEFILE");
  const std::string slurm = value_of(environment, "SLURM_JOB_NUM_NODES");
  if (!options.hosts.empty())
    nodes.names = options.hosts;
  else if (!options.host_file.empty())
    nodes.names = read_host_file(options.host_file);
  else if (!slurm.empty())
    nodes.names = topology::expand_host_list(value_of(environment, "SLURM_JOB_NODELIST"));
  else if (!pbs.empty())
    nodes.names = read_host_file(pbs);
  nodes.count = std::max(1, static_cast<int>(nodes.names.size()));
  if (!slurm.empty() && nodes.names.empty()) {
    const auto [end, error] = std::from_chars(slurm.data(), slurm.data() + slurm.size(), nodes.count);
    check_input(error == std::errc() && end == slurm.data() + slurm.size() && nodes.count > 0,
                "SLURM_JOB_NUM_NODES=" + slurm + " is not a number of nodes; name them with --host");
  }
  nodes.remote = nodes.names.size() == 1 && !is_this_host(nodes.names.front(), surroundings);
  return nodes;
}

bool says_open_mpi(const std::string& version) {
  return version.find("Open MPI") != version.npos || version.find("OpenRTE") != version.npos;
}
bool says_hydra(const std::string& version) {
  return version.find("HYDRA") != version.npos;
}

struct Launcher {
  LauncherKind kind = LauncherKind::direct;
  std::string path;
};

Launcher given_launcher(const RunOptions& options, const Surroundings& surroundings) {
  const std::string path = options.launcher.find('/') == std::string::npos
                               ? surroundings.find_program(options.launcher)
                               : options.launcher;
  check_input(!path.empty() && access(path.c_str(), X_OK) == 0,
              "cannot run the launcher " + options.launcher + " (no such program); check --launcher");
  switch (options.mpi) {
    case LauncherChoice::openmpi:
      return {LauncherKind::openmpi, path};
    case LauncherChoice::mpich:
      return {LauncherKind::mpich, path};
    case LauncherChoice::slurm:
      return {LauncherKind::slurm, path};
    default:
      break;
  }
  const std::string version = surroundings.output_of({path, "--version"});
  if (says_open_mpi(version)) return {LauncherKind::openmpi, path};
  if (says_hydra(version)) return {LauncherKind::mpich, path};
  if (version.starts_with("slurm")) return {LauncherKind::slurm, path};
  throw Error("cannot tell the kind of launcher " + path +
              " from its --version; add --mpi openmpi, mpich or slurm");
}

Launcher find_launcher(const RunOptions& options, const Surroundings& surroundings) {
  if (!options.launcher.empty()) return given_launcher(options, surroundings);
  const bool any = options.mpi == LauncherChoice::automatic;
  const bool in_slurm = !value_of(surroundings.environment, "SLURM_JOB_ID").empty();
  if (options.mpi == LauncherChoice::slurm || (any && in_slurm)) {
    const std::string path = surroundings.find_program("srun");
    if (!path.empty()) return {LauncherKind::slurm, path};
    check_input(any, "cannot find srun in PATH, which --mpi slurm needs");
  }
  if (any || options.mpi == LauncherChoice::openmpi)
    for (const char* name : {"mpirun.openmpi", "mpirun", "mpiexec"}) {
      const std::string path = surroundings.find_program(name);
      if (!path.empty() && says_open_mpi(surroundings.output_of({path, "--version"})))
        return {LauncherKind::openmpi, path};
    }
  if (any || options.mpi == LauncherChoice::mpich)
    for (const char* name : {"mpiexec.mpich", "mpiexec.hydra", "mpiexec", "mpirun"}) {
      const std::string path = surroundings.find_program(name);
      if (!path.empty() && says_hydra(surroundings.output_of({path, "--version"})))
        return {LauncherKind::mpich, path};
    }
  const std::string wanted = options.mpi == LauncherChoice::openmpi ? "Open MPI's mpirun"
                             : options.mpi == LauncherChoice::mpich ? "MPICH's mpiexec"
                                                                    : "a launcher (srun, mpirun or mpiexec)";
  throw Error(
      "cannot find " + wanted +
      " in PATH, which several node processes need; install openmpi-bin or mpich, or give --launcher");
}

/// host:count,... as Open MPI wants it, or without the counts.
std::string join_hosts(const std::vector<std::string>& hosts, int count) {
  std::string text;
  for (const std::string& host : hosts)
    text += (text.empty() ? "" : ",") + host + (count > 0 ? ":" + std::to_string(count) : "");
  return text;
}

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// Variables that a launcher can pass on. Those of the launcher and of a batch system are left out: they
/// differ between nodes.
bool can_be_forwarded(const std::string& name) {
  for (const char* begin : {"OMPI_", "PMIX_", "PRTE_", "PMI_", "SLURM_", "PBS_", "HOSTNAME"})
    if (name.starts_with(begin)) return false;
  return std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

Words forwarded_names(const RunOptions& options, const LaunchPlan& plan, const EnvironmentMap& environment) {
  Words names = options.forwarded;
  for (const auto& [name, value] : plan.set) names.push_back(name);
  std::erase_if(names, [&](const std::string& name) {
    return std::find(plan.unset.begin(), plan.unset.end(), name) != plan.unset.end();
  });
  const auto is_new = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) == names.end() &&
           std::find(plan.unset.begin(), plan.unset.end(), name) == plan.unset.end();
  };
  for (const auto& [name, value] : environment)
    if ((name.starts_with("TAIHU_") || (options.forward_all && can_be_forwarded(name))) && is_new(name))
      names.push_back(name);
  return names;
}

/// Open MPI takes only named variables to other nodes. Without --bind-to none its daemons put the first
/// process of every node on the first core.
Words openmpi_words(const RunOptions& options, LaunchPlan& plan, const Surroundings& surroundings,
                    int per_node) {
  if (surroundings.root)
    plan.set["OMPI_ALLOW_RUN_AS_ROOT"] = plan.set["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  Words words = {"-np",
                 std::to_string(plan.processes),
                 "--bind-to",
                 "none",
                 "--oversubscribe",
                 "--map-by",
                 "ppr:" + std::to_string(per_node) + ":node"};
  if (!plan.hosts.empty()) append(words, {"--host", join_hosts(plan.hosts, per_node)});
  if (!plan.working_directory.empty()) append(words, {"-wdir", plan.working_directory});
  for (const std::string& name : forwarded_names(options, plan, surroundings.environment))
    if (!name.starts_with("OMPI_")) append(words, {"-x", name});
  return words;
}

/// Hydra passes the whole environment on.
Words mpich_words(const LaunchPlan& plan, int per_node) {
  Words words = {
      "-n", std::to_string(plan.processes), "-ppn", std::to_string(per_node), "-bind-to", "none", "-genvall"};
  if (!plan.hosts.empty()) append(words, {"-hosts", join_hosts(plan.hosts, 0)});
  if (!plan.working_directory.empty()) append(words, {"-wdir", plan.working_directory});
  return words;
}

Words slurm_words(const RunOptions& options, const LaunchPlan& plan, const std::string& pmi, int per_node) {
  Words words = {"--ntasks=" + std::to_string(plan.processes),
                 "--nodes=" + std::to_string((plan.processes + per_node - 1) / per_node),
                 "--ntasks-per-node=" + std::to_string(per_node),
                 "--distribution=block",
                 "--cpu-bind=none",
                 "--kill-on-bad-exit=1",
                 "--input=0",
                 "--export=ALL",
                 "--mpi=" + pmi};
  if (!options.hosts.empty() || !options.host_file.empty())
    words.push_back("--nodelist=" + join_hosts(plan.hosts, 0));
  if (!plan.working_directory.empty()) words.push_back("--chdir=" + plan.working_directory);
  return words;
}

/// Under srun the process-management interface that Slurm offers decides which MPI library can find its
/// peers.
std::string slurm_interface(const Launcher& launcher, const Surroundings& surroundings) {
  const std::string offered = surroundings.output_of({launcher.path, "--mpi=list"});
  for (const char* name : {"pmix", "pmi2"})
    if (offered.find(name) != offered.npos) return name;
  throw Error(
      "srun offers neither pmix nor pmi2 (srun --mpi=list), so node processes cannot find each other; use "
      "--mpi "
      "openmpi or --mpi mpich");
}

void add_launcher(const RunOptions& options, const Surroundings& surroundings, JobParameters& job,
                  LaunchPlan& plan) {
  const Launcher launcher = find_launcher(options, surroundings);
  plan.kind = launcher.kind;
  std::string pmi;
  if (plan.kind == LauncherKind::slurm) pmi = slurm_interface(launcher, surroundings);
  job.mpi = plan.kind == LauncherKind::openmpi || pmi == "pmix" ? "openmpi" : "mpich";
  plan.set["TAIHU_MPI"] = job.mpi;
  plan.command.push_back(launcher.path);
  const int per_node = job.processes_per_node;
  if (plan.kind == LauncherKind::openmpi)
    append(plan.command, openmpi_words(options, plan, surroundings, per_node));
  else if (plan.kind == LauncherKind::mpich)
    append(plan.command, mpich_words(plan, per_node));
  else
    append(plan.command, slurm_words(options, plan, pmi, per_node));
}

void set_environment(const RunOptions& options, const JobParameters& job, LaunchPlan& plan) {
  for (const auto& [name, value] : options.assignments) plan.set[name] = value;
  for (const auto& [name, value] : to_environment(job)) {
    if (value.empty())
      plan.unset.push_back(name);
    else
      plan.set[name] = value;
  }
}

/// A variable as the node processes would find it.
std::string variable(const LaunchPlan& plan, const Surroundings& surroundings, const std::string& name) {
  const auto given = plan.set.find(name);
  return given != plan.set.end() ? given->second : value_of(surroundings.environment, name);
}

/// Whether node processes get Taihu's heap. Valgrind puts its own malloc in the place of the C library's
/// alone.
bool wants_heap(const std::string& choice, const Words& debugger, const std::string& preload) {
  if (!choice.empty() && choice != "taihu" && choice != "libc")
    throw UsageError("TAIHU_HEAP=" + choice + " is neither taihu nor libc; correct it, or leave it out");
  const auto is_valgrind = [](const std::string& word) {
    return word.substr(word.rfind('/') + 1).starts_with("valgrind");
  };
  return choice != "libc" && std::none_of(debugger.begin(), debugger.end(), is_valgrind) &&
         preload.find("/vgpreload_") == preload.npos;
}

/// Tools of MPI in LD_PRELOAD go to the ranks: in the node process they would come before the library that
/// carries messages between node processes, and ranks would not see them. A malloc that the program is linked
/// to goes the other way.
void plan_preloads(const RunOptions& options, const Surroundings& surroundings, LaunchPlan& plan) {
  const std::string list = variable(plan, surroundings, "LD_PRELOAD");
  const bool heap = wants_heap(variable(plan, surroundings, "TAIHU_HEAP"), options.debugger, list);
  plan.node_program = surroundings.node_program + (heap ? "" : "-libc");
  Preloads preloads = surroundings.split_preloads(list, variable(plan, surroundings, "LD_LIBRARY_PATH"));
  if (const std::string malloc = surroundings.linked_malloc(options.job.program); !malloc.empty())
    preloads.others += (preloads.others.empty() ? "" : ":") + malloc;
  const auto set = [&](const char* name, const std::string& value) {
    plan.set.erase(name);
    if (value.empty())
      plan.unset.emplace_back(name);
    else
      plan.set[name] = value;
  };
  if (preloads.others != list) set("LD_PRELOAD", preloads.others);
  set("TAIHU_RANK_PRELOAD", preloads.tools);
}

/// --ppn cannot change how ranks are dealt to nodes (launch/layout.h): it must agree with the layout.
void check_ranks_per_node(const RunOptions& options, int nodes) {
  const int ranks = options.job.ranks, wanted = options.ranks_per_node;
  const bool agrees = nodes == 1 ? ranks <= wanted : ranks == wanted * nodes || ranks == wanted * nodes - 1;
  if (wanted == 0 || agrees) return;
  throw UsageError("--ppn " + std::to_string(wanted) + ": " + std::to_string(ranks) +
                   (ranks == 1 ? " rank" : " ranks") + " on " + std::to_string(nodes) +
                   (nodes == 1 ? " node" : " nodes") +
                   " are dealt evenly; leave it out, or change -n or the nodes");
}

/// The only node process of a job needs no launcher.
void add_remarks(const RunOptions& options, LaunchPlan& plan) {
  const std::string reason = " has nothing to do (one node process on this node needs no launcher)";
  if (!options.launcher.empty()) plan.remarks.push_back("--launcher " + options.launcher + reason);
  if (options.mpi != LauncherChoice::automatic && options.mpi != LauncherChoice::none)
    plan.remarks.push_back("--mpi" + reason);
}

}  // namespace

LaunchPlan plan_launch(const RunOptions& options, const Surroundings& surroundings) {
  LaunchPlan plan;
  JobParameters job = options.job;
  const Nodes nodes = nodes_of(options, surroundings);
  plan.hosts = nodes.names;
  // A directory per rank is entered by the ranks themselves.
  (options.working_directory.find("%r") == std::string::npos ? plan.working_directory : job.rank_directory) =
      options.working_directory;
  plan.processes = job.processes = nodes.count * job.processes_per_node;
  if (job.processes > job.ranks)
    throw UsageError(std::to_string(job.ranks) + (job.ranks == 1 ? " rank" : " ranks") + " cannot fill " +
                     std::to_string(job.processes) + " node processes (" + std::to_string(nodes.count) +
                     (nodes.count == 1 ? " node, " : " nodes, ") + std::to_string(job.processes_per_node) +
                     " on each); raise -n, or name fewer nodes with --host");
  check_ranks_per_node(options, nodes.count);
  check_rank_limits(surroundings.rank_limits, job.ranks, nodes.count, job.processes_per_node);
  const bool several = job.processes > 1 || nodes.remote;
  if (several && options.mpi == LauncherChoice::none)
    throw UsageError("--mpi none runs one node process on this node, but " + std::to_string(job.processes) +
                     (nodes.remote ? " on " + nodes.names.front() : std::string()) +
                     " is wanted; drop --mpi none");
  if (several && !options.debugger.empty())
    throw UsageError(
        "--debugger works with one node process on this node; drop --processes-per-node and --host");

  set_environment(options, job, plan);
  plan_preloads(options, surroundings, plan);
  if (several) {
    std::erase(plan.unset, "TAIHU_MPI");
    add_launcher(options, surroundings, job, plan);
  } else {
    plan.hosts.clear();
    add_remarks(options, plan);
    plan.command = options.debugger;
    if (!plan.command.empty()) {
      const std::string path = surroundings.find_program(plan.command.front());
      check_input(!path.empty(), "cannot find the debugger " + plan.command.front() + " in PATH");
      plan.command.front() = path;
    }
  }
  plan.command.push_back(plan.node_program);
  plan.command.push_back(job.program);
  append(plan.command, job.arguments);
  return plan;
}

std::vector<std::string> read_host_file(const std::string& path) {
  std::istringstream file(read_file(path, "the host file"));
  std::vector<std::string> hosts;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string host;
    if (!(words >> host)) continue;
    host = host.substr(0, host.find(':'));
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  check_input(!hosts.empty(), "the host file " + path + " names no host");
  return hosts;
}

std::string to_shell(const LaunchPlan& plan) {
  std::string line = "env";
  if (!plan.working_directory.empty()) line += " -C " + shell_word(plan.working_directory);
  for (const std::string& name : plan.unset) line += " -u " + name;
  for (const auto& [name, value] : plan.set) line += " " + shell_word(name + "=" + value);
  for (const std::string& word : plan.command) line += " " + shell_word(word);
  return line;
}

}  // namespace taihu::launch
