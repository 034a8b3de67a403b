// SPDX-License-Identifier: Apache-2.0
// The real surroundings of the commands that start jobs: PATH, other programs, this executable's place.
#include <unistd.h>

#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/base/search_path.h"
#include "taihu/launch/launch_plan.h"
#include "taihu/launch/run_and_read.h"
#include "taihu/topology/network.h"

namespace taihu::launch {
namespace {

std::string node_program_path(const LaunchCommand& command) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    throw Error("cannot find out where " + std::string(command.name) + " is installed (" + error.message() +
                "); is /proc mounted?");
  return (self.parent_path().parent_path() / "libexec" / "taihu" / command.node_program).string();
}

}  // namespace

Surroundings this_place(const LaunchCommand& command) {
  Surroundings place;
  place.command = &command;
  place.environment = current_environment();
  place.host_name = topology::host_name();
  place.node_program = node_program_path(command);
  place.root = geteuid() == 0;
  place.rank_limits = rank_limits();
  place.find_program = [](const std::string& name) { return find_in_path(name); };
  place.output_of = [](const std::vector<std::string>& words) { return run_and_read(words).text; };
  place.split_preloads = &split_preloads;
  place.linked_malloc = &linked_malloc;
  return place;
}

}  // namespace taihu::launch
