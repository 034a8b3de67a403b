// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/choice.h"
#include "taihu/collective/collectives.h"
#include "taihu/mpi/work/collectives/flat_buffer.h"
#include "taihu/mpi/work/collectives/plain_blocks.h"
#include "taihu/mpi/work/collectives/running.h"
#include "taihu/mpi/work/collectives/typed_blocks.h"

namespace taihu::mpi::collectives {

void run(Rank& rank, Communicator& communicator, const char* call, const Barrier& arguments) {
  if (communicator.is_inter()) return run_as_program(rank, communicator, call, arguments);
  check_quickly(communicator, collective::barrier(communicator.collectives()));
}

Planned plan(Rank&, Communicator& communicator, const Barrier&) {
  schedule::Program program = communicator.is_inter() ? schedule::barrier_between(groups_of(communicator))
                                                      : schedule::barrier(place_in(communicator));
  auto memory = std::make_unique<TypedBlocks>(ByteRow(), ByteRow(), program.scratch);
  return planned(communicator, std::move(program), std::move(memory));
}

namespace {

/// As in gather.cc.
bool run_plain(Rank& rank, Communicator& communicator, const Bcast& arguments) {
  PlainBuffer buffer;
  if (arguments.root < 0 || arguments.root >= communicator.size() ||
      !buffer.set(rank, arguments.buffer, arguments.count, arguments.type))
    return false;
  check_quickly(communicator,
                collective::bcast(communicator.collectives(), buffer.data, buffer.bytes, arguments.root));
  return true;
}

}  // namespace

void run(Rank& rank, Communicator& communicator, const char* call, const Bcast& arguments) {
  if (communicator.is_inter()) return run_as_program(rank, communicator, call, arguments);
  if (run_plain(rank, communicator, arguments)) return;
  const Role role = role_of(communicator, arguments.root);
  const FlatBuffer flat(checked_buffer(rank, arguments.buffer, arguments.count, arguments.type));
  if (role == Role::root) flat.pack();
  check_code(communicator,
             collective::bcast(communicator.collectives(), flat.data(), flat.bytes(), arguments.root));
  if (role != Role::root) flat.unpack();
}

Planned plan(Rank& rank, Communicator& communicator, const Bcast& arguments) {
  const Role role = role_of(communicator, arguments.root);
  if (role == Role::bystander) return nothing_to_do();
  ByteRow buffer(checked_buffer(rank, arguments.buffer, arguments.count, arguments.type));
  const std::size_t bytes = buffer.bytes();
  const auto bcast = [&](int root) {
    return collective::among_all::bcast(members_of(communicator), bytes, 1, root, buffer.is_divisible());
  };
  schedule::Program program;
  if (!communicator.is_inter()) {
    program = bcast(arguments.root);
  } else {
    const auto side = role == Role::root ? schedule::Side::root : schedule::Side::others;
    program = schedule::bcast_between(groups_of(communicator), bytes, side, arguments.root, bcast(0));
  }
  auto memory = std::make_unique<TypedBlocks>(ByteRow(), std::move(buffer), program.scratch);
  return planned(communicator, std::move(program), std::move(memory));
}

}  // namespace taihu::mpi::collectives
