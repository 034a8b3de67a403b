// SPDX-License-Identifier: Apache-2.0
// The description of a job that parcrun and marun pass to the node processes. It travels in environment
// variables, because that is what every launcher forwards; the program and its arguments travel on the
// command line of the node process.
//
// The variables are in environment_variables.h.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "taihu/launch/binding.h"
#include "taihu/launch/layout.h"

namespace taihu::launch {

using EnvironmentMap = std::map<std::string, std::string>;

/// Invariants: 1 <= processes <= ranks, 1 <= processes_per_node, 0 <= process_on_node < processes_per_node.
struct JobParameters {
  int ranks = 1;
  int universe = 0;            ///< MPI: most ranks at all, spawned ones included; 0: as the language says
  int processes = 1;           ///< node processes of the job
  int processes_per_node = 1;  ///< node processes on every operating-system node
  int process_on_node = 0;     ///< index of this one among them; set by from_environment
  int threads = 0;             ///< accelerator threads per rank; 0: choose_threads
  ScopeSizes scopes;
  BindPolicy bind = BindPolicy::automatic;
  bool report_bindings = false;
  bool tag_output = false;
  bool emulate_nodes = false;  ///< each node process counts as a separate operating-system node
  bool verbose = false;
  std::string
      rank_directory;  ///< working directory of each rank, "%r" stands for its number; empty: unchanged
  std::string mpi;     ///< library between node processes: "openmpi" or "mpich"; empty when there is only one
  std::vector<std::string> private_libraries;
  bool stats = false;  ///< print counts and waiting times of every rank at the end
  std::string trace;   ///< for trace viewers: calls of all ranks, and kernels of Parallel C; empty: none
  std::string trace_collectives;        ///< MPI: file for one line per collective call; empty: none
  double deadlock_timeout_seconds = 0;  ///< report when all ranks have waited for this time; 0: never
  double node_timeout_seconds = 300;    ///< end when a node process is silent for this time; 0: never
  double task_deadline_seconds = 0;     ///< Parallel C: get_task_id hands out nothing afterwards; 0: none
  double task_progress_seconds = 0;     ///< Parallel C: report on rounds of tasks so often; 0: never
  std::string restart;                  ///< Parallel C: checkpoint to go on from; empty: none
  std::string program_name;             ///< the program's argv[0]; empty: `program`
  std::string program;                  ///< set by from_command_line
  std::vector<std::string> arguments;   ///< without the program's name; set by from_command_line
};

/// All variables of a job, also those with default values, so that none is inherited from an outer job.
EnvironmentMap to_environment(const JobParameters& job);

/// The inverse, in the node process. Without TAIHU_ variables the job is one rank. The index of the process
/// on its node comes from the launcher (Open MPI, MPICH, Slurm). Throws Error naming the variable that has no
/// usable value.
JobParameters from_environment(const EnvironmentMap& environment);

/// --node-timeout alone, before the rest of the job is read. Throws Error as from_environment does.
double node_timeout_seconds(const EnvironmentMap& environment);

/// Takes program and arguments from `parallelc-node program args...`, and the program's name unless it is
/// set. Throws UsageError when there is no program.
void from_command_line(JobParameters& job, int argc, const char* const* argv);

/// This process's environment.
EnvironmentMap current_environment();

/// A warning for each variable that starts with TAIHU_ and that nothing reads, probably misspelled, with the
/// nearest known name: "unknown environment variable X (did you mean Y?)".
std::vector<std::string> environment_warnings(const EnvironmentMap& environment);

/// The entry of this node process for make_layout.
Host this_host(const JobParameters& job, const topology::Machine& machine);

/// The ranks of node process `process` among those of the machine it runs on, for plan_binding.
NodeShare node_share(const JobParameters& job, const Layout& layout, int process);

/// Stack bytes of a rank's thread. Throws Error when TAIHU_STACK_SIZE is not a size or below 64 KiB.
std::size_t rank_stack_bytes(const EnvironmentMap& environment);

}  // namespace taihu::launch
