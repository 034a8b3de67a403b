// SPDX-License-Identifier: Apache-2.0
// Turns options into the one command that starts the node processes of a job, without running it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taihu/launch/command_line.h"
#include "taihu/launch/preloads.h"
#include "taihu/launch/rank_limits.h"

namespace taihu::launch {

/// Everything outside the options that a plan depends on; tests replace it.
struct Surroundings {
  EnvironmentMap environment;
  std::string host_name;
  const LaunchCommand* command = &parcrun_command;
  std::string node_program;  ///< path of the node process executable; that without Taihu's heap ends in -libc
  bool root = false;         ///< running as root
  std::vector<RankLimit> rank_limits{};  ///< of this machine; the nodes of the job are assumed to be like it
  /// Full path of a program in PATH, or "".
  std::function<std::string(const std::string& name)> find_program;
  /// The output of a command, or "" when it cannot be run.
  std::function<std::string(const std::vector<std::string>& command)> output_of;
  /// split_preloads() and linked_malloc().
  std::function<Preloads(const std::string& list, const std::string& library_path)> split_preloads =
      [](const std::string& list, const std::string&) { return Preloads{{}, list}; };
  std::function<std::string(const std::string& program)> linked_malloc = [](const std::string&) {
    return std::string();
  };
};

/// This process's surroundings. `node_program` is in libexec/taihu/ next to the bin/ of the running
/// executable.
Surroundings this_place(const LaunchCommand& command);

enum class LauncherKind { direct, openmpi, mpich, slurm };

struct LaunchPlan {
  LauncherKind kind = LauncherKind::direct;
  std::vector<std::string> command;  ///< command[0] is a path
  std::string node_program;          ///< path of the node process executable
  EnvironmentMap set;                ///< variables to set
  std::vector<std::string> unset;    ///< variables to remove
  std::string working_directory;     ///< empty: the current one
  int processes = 1;
  std::vector<std::string> hosts;    ///< empty: this node, or what the batch system gives
  std::vector<std::string> remarks;  ///< options that have no effect in this job, one line each
};

/// Throws UsageError for impossible combinations and Error when no launcher is found.
LaunchPlan plan_launch(const RunOptions& options, const Surroundings& surroundings);

struct CheckedProgram {
  std::string path;                    ///< under which the node process finds it
  std::vector<std::string> arguments;  ///< to put before the others
};

/// What runs for `program`. Names without '/' are looked up in PATH. Behind a script that starts a Python
/// interpreter, as pyenv's do, it is that interpreter, also where such a script is the interpreter of a
/// script. Throws Error with one line on what to do when it does not exist, is a directory or a script of
/// another language than Python, is not executable, or is not a program for Linux.
CheckedProgram check_program(const std::string& program, const std::string& working_directory,
                             const Surroundings& surroundings);

/// The node names of a hostfile of Open MPI or MPICH or of PBS_NODEFILE, each once.
std::vector<std::string> read_host_file(const std::string& path);

/// The plan as one line for a shell.
std::string to_shell(const LaunchPlan& plan);

}  // namespace taihu::launch
