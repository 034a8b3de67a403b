// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "taihu/base/error.h"
#include "taihu/base/mpi_launcher.h"
#include "taihu/parallel/solo_communicator.h"
#include "taihu/parallel/world.h"

namespace taihu::parallel {

std::unique_ptr<Communicator> open_world(int*, char***) {
  return std::make_unique<SoloCommunicator>();
}

bool has_mpi() {
  return false;
}

void become_mpi_program(char** arguments) {
  if (!is_launched(process_environment)) return;
  const std::string library = file_suffix(launcher_library(process_environment).value());
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string() + "-" + library;
  execv(program.c_str(), arguments);
  throw Error("started by a launcher of " + library + ", but " + program + " cannot be run; was it built?");
}

void abort_all_ranks(int code) {
  std::_Exit(code);
}

}  // namespace taihu::parallel
