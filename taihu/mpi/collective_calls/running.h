// SPDX-License-Identifier: Apache-2.0
// What the collectives have in common when they run.
#pragma once

#include "taihu/mpi/collective_calls/algorithms.h"
#include "taihu/mpi/collective_calls/collectives.h"
#include "taihu/mpi/collective_calls/schedule_request.h"

namespace taihu::mpi::collectives {

/// Throws CallError unless the collective layer's code says that all went well.
void check_code(Communicator& communicator, int code);

/// The members of the local group.
inline Team team_of(const Communicator& communicator) noexcept {
  return {communicator.group->ranks, communicator.rank};
}

/// `bytes` plain bytes.
Piece byte_buffer(std::byte* address, std::size_t bytes);

/// The caller's part of a new collective. A call whose arguments are refused is no part of it: the program
/// may make the call again.
template <class Arguments>
void run_as_schedule(Rank& rank, Communicator& communicator, const char* call, const Arguments& arguments) {
  Schedule schedule(rank.endpoint(), communicator.context_of(Traffic::schedules));
  plan(rank, communicator, arguments, schedule);
  schedule.set_tag(communicator.next_schedule_tag());
  run_to_end(rank, call, schedule);
}

}  // namespace taihu::mpi::collectives
