// SPDX-License-Identifier: Apache-2.0
// MPI_INFO_ENV and MPI_Info_create_env: the keys of MPI-4.1 section 11.2.1 as far as they are known.
#include "taihu/mpi/objects/info/environment_info.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>

#include "taihu/mpi/objects/predefined.h"

namespace taihu::mpi {

Info::Entries environment_entries(int ranks) {
  Info::Entries entries;
  utsname system{};
  if (uname(&system) == 0) {
    entries.emplace_back("host", system.nodename);
    entries.emplace_back("arch", system.machine);
  }
  if (char* const directory = getcwd(nullptr, 0)) {
    entries.emplace_back("wdir", directory);
    std::free(directory);
  }
  if (ranks > 0) {
    entries.emplace_back("maxprocs", std::to_string(ranks));
    entries.emplace_back("soft", std::to_string(ranks));
  }
  entries.emplace_back("thread_level", "MPI_THREAD_MULTIPLE");
  return entries;
}

void add_command(Info& info, int argc, char* const* argv) {
  if (argc <= 0 || argv == nullptr || argv[0] == nullptr) return;
  info.set("command", argv[0]);
  std::string arguments;
  for (int i = 1; i < argc && argv[i] != nullptr; ++i) {
    if (i > 1) arguments += ' ';
    arguments += argv[i];
  }
  info.set("argv", arguments);
}

void add_environment_info(Rank& rank) {
  add_predefined(rank.predefined, MPI_INFO_ENV, *new Info(environment_entries(rank.world().size())));
}

}  // namespace taihu::mpi
