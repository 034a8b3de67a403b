// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_spawn and its family (MPI-5.0 section 11.8). The new ranks are threads of the last node process,
// as many as the job has numbers for (marun --universe-size).
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <span>
#include <sstream>

#include "taihu/base/search_path.h"
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/objects/communicators/make_communicator.h"
#include "taihu/mpi/objects/dynamic/job_service.h"
#include "taihu/mpi/objects/info/info.h"

namespace taihu::mpi {
namespace {

std::string absolute(const std::string& path, const std::string& directory) {
  if (path.starts_with('/')) return path;
  return directory + "/" + path;
}

std::string current_directory() {
  char* const found = getcwd(nullptr, 0);
  std::string directory = found != nullptr ? found : ".";
  std::free(found);
  return directory;
}

/// Where the program is, as the system would find it: a name without a slash in the folders of the info key
/// "path", then of PATH, then in the working directory of the new ranks.
std::string find_program(const std::string& command, const std::string& folders,
                         const std::string& directory) {
  const char* const path = std::getenv("PATH");
  std::istringstream list(folders + ":" + (path != nullptr ? path : default_search_path));
  std::string search;
  for (std::string folder; std::getline(list, folder, ':');)
    if (!folder.empty()) search += absolute(folder, directory) + ":";
  const bool has_folder = command.find('/') != command.npos;
  std::string found =
      find_in_path(has_folder ? absolute(command, directory) : command, (search + directory).c_str());
  require(!found.empty(), MPI_ERR_SPAWN,
          [&] { return "there is no program '" + command + "' that can be run"; });
  return found;
}

SpawnedProgram program_of(Rank& rank, const char* command, char* const* argv, int maxprocs, MPI_Info info) {
  require_pointer(command, "command");
  require(maxprocs >= 0, MPI_ERR_ARG,
          [&] { return "maxprocs " + std::to_string(maxprocs) + " is negative"; });
  std::string folders;
  SpawnedProgram program;
  for (const auto& [key, value] : entries_of(rank, info)) {
    if (key == "wdir") program.directory = absolute(value, current_directory());
    if (key == "path") folders = value;
  }
  program.program =
      find_program(command, folders, program.directory.empty() ? current_directory() : program.directory);
  program.arguments.emplace_back(command);
  for (int k = 0; argv != MPI_ARGV_NULL && argv[k] != nullptr; ++k) program.arguments.emplace_back(argv[k]);
  program.ranks = maxprocs;
  return program;
}

/// What the root tells the other members.
struct SpawnOutcome {
  std::int64_t code = MPI_SUCCESS;
  std::int64_t first_rank = -1, ranks = 0, parent_context = 0, text_length = 0;
};

/// On the root; `make_programs` checks the arguments, `wanted` ranks are asked for.
template <class MakePrograms>
SpawnOutcome spawn(Rank& rank, Communicator& communicator, MakePrograms&& make_programs, std::int64_t wanted,
                   std::string& problem) {
  SpawnOutcome outcome;
  outcome.ranks = wanted;
  try {
    SpawnRequest request;
    request.programs = make_programs();
    request.world_context = rank.allocate_contexts();
    request.parent_context = rank.allocate_contexts();
    request.parents = communicator.group->ranks;
    outcome.parent_context = static_cast<std::int64_t>(request.parent_context);
    require(outcome.ranks > 0, MPI_ERR_SPAWN, "no ranks were asked for");
    const SpawnAnswer answer = ask_to_spawn(rank.node(), request);
    outcome.first_rank = answer.first_rank;
    require(answer.first_rank >= 0, MPI_ERR_SPAWN, [&] { return answer.problem; });
  } catch (const CallError& error) {
    outcome.code = error.code();
    problem = error.text();
    outcome.text_length = static_cast<std::int64_t>(problem.size());
  }
  return outcome;
}

/// All members call.
template <class MakePrograms>
void spawn_together(Rank& rank, Communicator& communicator, int root, MakePrograms&& make_programs,
                    std::span<const int> wanted, MPI_Comm* intercomm, int* error_codes) {
  require_result(intercomm, "intercomm");
  require_intra(communicator);
  require_member(root, communicator.size(), MPI_ERR_ROOT, "root");
  SpawnOutcome outcome;
  std::string problem;
  if (communicator.rank == root) {
    std::int64_t ranks = 0;
    for (const int more : wanted) ranks += std::max(more, 0);
    outcome = spawn(rank, communicator, make_programs, ranks, problem);
  }
  broadcast_inside(communicator, &outcome, sizeof outcome, root);
  problem.resize(static_cast<std::size_t>(outcome.text_length));
  if (!problem.empty()) broadcast_inside(communicator, problem.data(), problem.size(), root);
  // The length of the array is that of the root's arguments.
  for (int k = 0; error_codes != MPI_ERRCODES_IGNORE && k < outcome.ranks; ++k)
    error_codes[k] = static_cast<int>(outcome.code);
  require(outcome.code == MPI_SUCCESS, static_cast<int>(outcome.code), [&] { return problem; });
  Reference<Communicator> made;
  std::exception_ptr failure;
  try {
    std::vector<int> members;
    for (int k = 0; k < outcome.ranks; ++k) members.push_back(static_cast<int>(outcome.first_rank) + k);
    made = make_child(communicator, static_cast<message::Context>(outcome.parent_context), communicator.group,
                      Reference<Group>(new Group(std::move(members))));
  } catch (...) {
    failure = std::current_exception();  // the others wait for this member all the same
  }
  // Until all have their groups, who spawns next must not get these numbers, even if their ranks end at once.
  barrier_inside(communicator);
  if (communicator.rank == root)
    tell_settled(rank.node(), static_cast<int>(outcome.first_rank), static_cast<int>(outcome.ranks));
  if (failure != nullptr) std::rethrow_exception(failure);
  *intercomm = handle_of<MPI_Comm>(made.give_up());
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Comm_spawn,
         (const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
          MPI_Comm* intercomm, int array_of_errcodes[])) {
  return on_communicator("MPI_Comm_spawn", comm, [&](Rank& rank, Communicator& communicator) {
    spawn_together(
        rank, communicator, root,
        [&] { return std::vector{program_of(rank, command, argv, maxprocs, info)}; }, {&maxprocs, 1},
        intercomm, array_of_errcodes);
  });
}

MPI_CALL(int, Comm_spawn_multiple,
         (int count, char* array_of_commands[], char** array_of_argv[], const int array_of_maxprocs[],
          const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm* intercomm,
          int array_of_errcodes[])) {
  return on_communicator("MPI_Comm_spawn_multiple", comm, [&](Rank& rank, Communicator& communicator) {
    const auto make_programs = [&] {
      require(count > 0, MPI_ERR_ARG, [&] { return "count " + std::to_string(count) + " is not positive"; });
      require_pointer(array_of_commands, "array_of_commands");
      require_pointer(array_of_maxprocs, "array_of_maxprocs");
      std::vector<SpawnedProgram> programs;
      for (int k = 0; k < count; ++k)
        programs.push_back(program_of(
            rank, array_of_commands[k], array_of_argv != MPI_ARGVS_NULL ? array_of_argv[k] : MPI_ARGV_NULL,
            array_of_maxprocs[k], array_of_info != nullptr ? array_of_info[k] : MPI_INFO_NULL));
      return programs;
    };
    // Of meaning on the root alone.
    const std::size_t programs = array_of_maxprocs != nullptr && communicator.rank == root && count > 0
                                     ? static_cast<std::size_t>(count)
                                     : 0;
    spawn_together(rank, communicator, root, make_programs, {array_of_maxprocs, programs}, intercomm,
                   array_of_errcodes);
  });
}

MPI_CALL(int, Comm_get_parent, (MPI_Comm * parent)) {
  return on_rank("MPI_Comm_get_parent", [&](Rank& rank) {
    require_pointer(parent, "parent");
    *parent = rank.parent != nullptr ? handle_of<MPI_Comm>(rank.parent) : MPI_COMM_NULL;
  });
}
