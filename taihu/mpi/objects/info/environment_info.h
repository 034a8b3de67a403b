// SPDX-License-Identifier: Apache-2.0
// How the program was started, as info objects tell it.
#pragma once

#include "taihu/mpi/objects/info/info.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {

/// What is known without the program's arguments. `ranks`: of the job; 0 when there is none yet.
Info::Entries environment_entries(int ranks);
/// Keys "command" and "argv", from the arguments of main; nothing when they are missing.
void add_command(Info& info, int argc, char* const* argv);

}  // namespace taihu::mpi
