// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/collectives.h"
#include "taihu/mpi/collective_calls/flat_buffer.h"
#include "taihu/mpi/collective_calls/running.h"

namespace taihu::mpi::collectives {

void run(Rank& rank, Communicator& communicator, const char* call, const Barrier& arguments) {
  if (communicator.is_inter()) return run_as_schedule(rank, communicator, call, arguments);
  check_code(communicator, collective::barrier(communicator.collectives()));
}

void plan(Rank&, Communicator& communicator, const Barrier&, Schedule& schedule) {
  const Team team = team_of(communicator);
  plan_barrier(schedule, team);
  if (!communicator.is_inter()) return;
  // All of this side are here; the first members tell each other, then their own sides.
  if (team.me == 0) {
    const int peer = communicator.remote_group->ranks.front();
    schedule.send(peer, {nullptr, 0});
    schedule.receive(peer, {nullptr, 0});
    schedule.end_round();
  }
  plan_bcast(schedule, team, byte_buffer(schedule.scratch(1), 1), 0);
}

void run(Rank& rank, Communicator& communicator, const char* call, const Bcast& arguments) {
  if (communicator.is_inter()) return run_as_schedule(rank, communicator, call, arguments);
  const Role role = role_of(communicator, arguments.root);
  const FlatBuffer flat(checked_buffer(rank, arguments.buffer, arguments.count, arguments.type));
  if (role == Role::root) flat.pack();
  check_code(communicator,
             collective::bcast(communicator.collectives(), flat.data(), flat.bytes(), arguments.root));
  if (role != Role::root) flat.unpack();
}

void plan(Rank& rank, Communicator& communicator, const Bcast& arguments, Schedule& schedule) {
  const Role role = role_of(communicator, arguments.root);
  if (role == Role::bystander) return;
  const Piece buffer = checked_buffer(rank, arguments.buffer, arguments.count, arguments.type);
  const Team team = team_of(communicator);
  if (!communicator.is_inter()) return plan_bcast(schedule, team, buffer, arguments.root);
  if (buffer.bytes() == 0) return;
  const std::vector<int>& others = communicator.remote_group->ranks;
  if (role == Role::root) return schedule.send(others.front(), schedule.data(buffer));
  if (team.me == 0) {
    schedule.receive(others[static_cast<std::size_t>(arguments.root)], schedule.space(buffer));
    schedule.end_round();
  }
  plan_bcast(schedule, team, buffer, 0);
}

}  // namespace taihu::mpi::collectives
