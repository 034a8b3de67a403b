// SPDX-License-Identifier: Apache-2.0
// The options of parcrun as a struct.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taihu/launch/job.h"

namespace taihu::launch {

/// What carries node processes to their nodes and messages between them.
enum class LauncherChoice { automatic, openmpi, mpich, slurm, none };

struct ParcrunOptions {
  JobParameters job;               ///< without what the launch plan adds: processes, mpi
  std::vector<std::string> hosts;  ///< from --host, each once
  std::string host_file;
  std::vector<std::string> forwarded;                            ///< names of -x NAME
  std::vector<std::pair<std::string, std::string>> assignments;  ///< -x NAME=VALUE, -genv NAME VALUE
  std::string working_directory;                                 ///< empty: the current one
  double timeout_seconds = 0;                                    ///< 0: none
  LauncherChoice mpi = LauncherChoice::automatic;
  std::string launcher;  ///< program given with --launcher
  bool dry_run = false;
  std::vector<std::string> debugger;  ///< words before the node process's command
  std::string text_to_print;          ///< of --help or --version: print it, run nothing
};

/// Options end at the first word that is not one, or after "--"; the rest is the program and its arguments.
/// Throws UsageError for unknown options (with the nearest known one), wrong values and a missing program.
ParcrunOptions parse_parcrun(const std::vector<std::string>& words, const std::string& version);

}  // namespace taihu::launch
