// SPDX-License-Identifier: Apache-2.0
// What the collectives have in common when they run.
#pragma once

#include <string>

#include "taihu/mpi/work/collectives/collectives.h"
#include "taihu/mpi/work/collectives/schedule_request.h"

namespace taihu::mpi::collectives {

/// Throws CallError unless the collective layer's code says that all went well, and `own_problem`, of the
/// lengths that the caller sends itself, is empty.
void check_code(Communicator& communicator, int code, const std::string& own_problem = {});

/// The same for calls whose own lengths fit together.
inline void check_quickly(Communicator& communicator, int code) {
  if (code != 0) [[unlikely]]
    check_code(communicator, code);
}

/// The caller's part of a new collective. A call whose arguments are refused is no part of it: the program
/// may make the call again.
template <class Arguments>
void run_as_program(Rank& rank, Communicator& communicator, const char* call, const Arguments& arguments) {
  const Planned planned = plan(rank, communicator, arguments);
  run_to_end(rank, communicator, call, planned);
}

}  // namespace taihu::mpi::collectives
