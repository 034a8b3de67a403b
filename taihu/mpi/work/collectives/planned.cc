// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/collectives/planned.h"

#include <utility>
#include <vector>

namespace taihu::mpi::collectives {

collective::among_all::Members members_of(Communicator& communicator) {
  if (communicator.is_inter()) return {place_in(communicator)};
  return {place_in(communicator), &communicator.collectives().state().background_forms()};
}

Planned planned(const Communicator& communicator, schedule::Program program,
                std::unique_ptr<collective::ProgramMemory> memory, std::string problem) {
  if (communicator.is_inter()) {
    std::vector<int> names = communicator.group->ranks;
    names.insert(names.end(), communicator.remote_group->ranks.begin(),
                 communicator.remote_group->ranks.end());
    program.name_peers(names);
  } else {
    program.name_peers(communicator.group->ranks);
  }
  return {std::move(program), std::move(memory), std::move(problem)};
}

}  // namespace taihu::mpi::collectives
