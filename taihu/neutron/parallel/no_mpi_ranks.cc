// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "taihu/base/error.h"
#include "taihu/neutron/parallel/mpi_ranks.h"

namespace taihu::neutron {
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

void become_mpi_program(char** arguments) {
  const char* library = library_of_launcher();
  if (library == nullptr) return;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string() + "-" + library;
  execv(program.c_str(), arguments);
  throw Error("started by a launcher of " + std::string(library) + ", but " + program +
              " cannot be run; was it built?");
}

bool started_by_mpi() {
  return false;
}

std::unique_ptr<Ranks> make_mpi_ranks() {
  return std::make_unique<SingleRank>();
}

void abort_all_ranks(int code) {
  std::_Exit(code);
}

}  // namespace taihu::neutron
