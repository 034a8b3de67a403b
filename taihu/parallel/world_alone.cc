// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "taihu/base/error.h"
#include "taihu/parallel/solo_communicator.h"
#include "taihu/parallel/world.h"

namespace taihu::parallel {
namespace {

/// The MPI library whose launcher has started this process, by the variables that launchers set; null: none.
const char* library_of_launcher() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK"})
    if (std::getenv(variable) != nullptr) return "openmpi";
  for (const char* variable : {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"})
    if (std::getenv(variable) != nullptr) return "mpich";
  return nullptr;
}

}  // namespace

std::unique_ptr<Communicator> open_world(int*, char***) {
  return std::make_unique<SoloCommunicator>();
}

bool has_mpi() {
  return false;
}

void become_mpi_program(char** arguments) {
  const char* library = library_of_launcher();
  if (library == nullptr) return;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string() + "-" + library;
  execv(program.c_str(), arguments);
  throw Error("started by a launcher of " + std::string(library) + ", but " + program +
              " cannot be run; was it built?");
}

void abort_all_ranks(int code) {
  std::_Exit(code);
}

}  // namespace taihu::parallel
