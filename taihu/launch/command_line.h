// SPDX-License-Identifier: Apache-2.0
// The options of parcrun and marun as a struct.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taihu/launch/job.h"

namespace taihu::launch {

/// A command that starts jobs: what differs between the languages of programs.
struct LaunchCommand {
  enum class Language { parallel_c, mpi };
  Language language;
  const char* name;
  const char* description;   ///< one line for --help
  const char* compiler;      ///< that builds its programs
  const char* node_program;  ///< file name of its node process
};
extern const LaunchCommand parcrun_command;
extern const LaunchCommand marun_command;

/// What carries node processes to their nodes and messages between them.
enum class LauncherChoice { automatic, openmpi, mpich, slurm, none };

struct RunOptions {
  JobParameters job;               ///< without what the launch plan adds: processes, mpi
  std::vector<std::string> hosts;  ///< from --host, each once
  std::string host_file;
  int ranks_per_node = 0;              ///< of --ppn, which must agree with the layout of ranks; 0: not given
  std::vector<std::string> forwarded;  ///< names of -x NAME
  bool forward_all = false;            ///< every variable goes to other nodes
  std::vector<std::pair<std::string, std::string>> assignments;  ///< -x NAME=VALUE, -genv NAME VALUE
  std::string working_directory;                                 ///< empty: the current one
  double timeout_seconds = 0;                                    ///< 0: none
  LauncherChoice mpi = LauncherChoice::automatic;
  std::string launcher;  ///< program given with --launcher
  bool dry_run = false;
  std::vector<std::string> debugger;  ///< words that come before the node process's command
  std::string text_to_print;          ///< of --help or --version: print it, run nothing
};

/// Options end at the first word that is not an option, or after "--"; the rest is the program and its
/// arguments. Throws UsageError for unknown options (with the nearest known one), wrong values, a missing
/// program, and for options of other launchers that this one does not support (with what to do instead).
RunOptions parse_run(const LaunchCommand& command, const std::vector<std::string>& words,
                     const std::string& version);

}  // namespace taihu::launch
