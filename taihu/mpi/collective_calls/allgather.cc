// SPDX-License-Identifier: Apache-2.0
// Allgather and alltoall, with equal and unequal blocks, and alltoall with types.
#include "taihu/collective/choice.h"
#include "taihu/collective/collectives.h"
#include "taihu/mpi/collective_calls/flat_buffer.h"
#include "taihu/mpi/collective_calls/neighbors.h"
#include "taihu/mpi/collective_calls/running.h"
#include "taihu/mpi/collective_calls/typed_blocks.h"

namespace taihu::mpi::collectives {
namespace {

bool allows_in_place(const Communicator& communicator) noexcept {
  return !communicator.is_inter();
}

/// The buffers of an alltoall; in place: the source is not set.
struct BothSides {
  bool in_place;
  Blocks source{}, result{};
};

BothSides both_sides(Rank& rank, Communicator& communicator, const Alltoall& arguments) {
  const int members = communicator.partners().size();
  BothSides sides{allows_in_place(communicator) && is_in_place(arguments.send.address)};
  sides.result = blocks_of(rank, arguments.receive, arguments.form, members);
  if (sides.in_place) return sides;
  sides.source = blocks_of(rank, arguments.send, arguments.form, members);
  if (communicator.is_inter()) return sides;
  check_apart(sides.source[communicator.rank], sides.result[communicator.rank]);
  check_same_length(sides.source[communicator.rank], sides.result[communicator.rank]);
  return sides;
}

int alltoall(collective::GroupHandle& handle, const FlatBlocks& source, const FlatBlocks& result, Form form) {
  if (form == Form::equal)
    return collective::alltoall(handle, source.data(), result.data(), result.block_bytes());
  return collective::alltoallv(handle, source.data(), source.lengths(), source.offsets(), result.data(),
                               result.lengths(), result.offsets());
}

}  // namespace

Blocks blocks_of(Rank& rank, const Allgather& arguments, int members) {
  return arguments.with_counts ? checked_blocks(rank, arguments.receive, arguments.receive_counts,
                                                arguments.displacements, arguments.receive_type, members)
                               : checked_blocks(rank, arguments.receive, arguments.receive_count,
                                                arguments.receive_type, members);
}

Blocks blocks_of(Rank& rank, const Side& side, Form form, int members) {
  switch (form) {
    case Form::equal:
      return checked_blocks(rank, side.address, side.count, side.type, members);
    case Form::with_counts:
      return checked_blocks(rank, side.address, side.counts, side.displacements, side.type, members);
    case Form::with_types:
      break;
  }
  return checked_blocks(rank, side.address, side.counts, side.displacements, side.byte_displacements,
                        side.types, members);
}

void run(Rank& rank, Communicator& communicator, const char* call, const Allgather& arguments) {
  if (communicator.is_inter()) return run_as_program(rank, communicator, call, arguments);
  collective::GroupHandle& handle = communicator.collectives();
  const int me = communicator.rank;
  const Blocks blocks = blocks_of(rank, arguments, communicator.size());
  const FlatBlocks result(blocks, communicator.size());
  const bool in_place = is_in_place(arguments.send);
  Piece own = blocks[me];
  if (!in_place) {
    own = checked_buffer(rank, arguments.send, arguments.send_count, arguments.send_type);
    check_apart(own, blocks[me]);
    check_same_length(own, blocks[me]);
  }
  const FlatBuffer mine(own);
  if (in_place)
    result.pack(me);
  else
    mine.pack();
  const std::byte* const source = in_place ? result.block(me) : mine.data();
  check_code(communicator, arguments.with_counts
                               ? collective::allgatherv(handle, source, mine.bytes(), result.data(),
                                                        result.lengths(), result.offsets())
                               : collective::allgather(handle, source, result.data(), mine.bytes()));
  result.unpack();
}

void run(Rank& rank, Communicator& communicator, const char* call, const Alltoall& arguments) {
  if (communicator.is_inter()) return run_as_program(rank, communicator, call, arguments);
  collective::GroupHandle& handle = communicator.collectives();
  const BothSides sides = both_sides(rank, communicator, arguments);
  const FlatBlocks result(sides.result, communicator.size());
  if (sides.in_place) {
    result.pack();
    check_code(communicator, alltoall(handle, result, result, arguments.form));
  } else {
    const FlatBlocks source(sides.source, communicator.size());
    source.pack();
    check_code(communicator, alltoall(handle, source, result, arguments.form));
  }
  result.unpack();
}

Planned plan(Rank& rank, Communicator& communicator, const Allgather& arguments) {
  const int members = communicator.partners().size();
  const Blocks result = blocks_of(rank, arguments, members);
  const bool in_place = allows_in_place(communicator) && is_in_place(arguments.send);
  Piece mine;
  if (!in_place) mine = checked_buffer(rank, arguments.send, arguments.send_count, arguments.send_type);
  const schedule::Blocks blocks = starts_of(result, members);
  schedule::Program program;
  if (!communicator.is_inter()) {
    const Piece own = result[communicator.rank];
    if (in_place) {
      mine = own;
    } else {
      check_apart(mine, own);
      check_same_length(mine, own);
    }
    program = collective::among_all::allgather(place_in(communicator), blocks, !arguments.with_counts);
  } else {
    const schedule::TwoGroups groups = groups_of(communicator);
    std::vector<schedule::Transfer> receives, sends;
    for (int k = 0; k < members; ++k) {
      receives.push_back({groups.other(k), {blocks.start(k), blocks.count(k)}});
      sends.push_back({groups.other(k), {0, mine.bytes()}});
    }
    program = schedule::transfers(receives, sends);
  }
  auto memory =
      std::make_unique<TypedBlocks>(ByteRow(mine), ByteRow(result, members), program.scratch, in_place);
  return planned(communicator, std::move(program), std::move(memory));
}

namespace {

schedule::Program alltoall_program(const Communicator& communicator, std::span<const schedule::Range> sources,
                                   std::span<const schedule::Range> results, Form form) {
  if (!communicator.is_inter())
    return collective::among_all::alltoall(place_in(communicator), sources, results, form == Form::equal);
  const schedule::TwoGroups groups = groups_of(communicator);
  std::vector<schedule::Transfer> receives, sends;
  for (int k = 0; k < groups.others; ++k) {
    receives.push_back({groups.other(k), results[static_cast<std::size_t>(k)]});
    sends.push_back({groups.other(k), sources[static_cast<std::size_t>(k)]});
  }
  return schedule::transfers(receives, sends);
}

}  // namespace

Planned plan(Rank& rank, Communicator& communicator, const Alltoall& arguments) {
  const int members = communicator.partners().size();
  const BothSides sides = both_sides(rank, communicator, arguments);
  const auto results = ranges_of(sides.result, members);
  ByteRow result(sides.result, members);
  if (!sides.in_place) {
    schedule::Program program =
        alltoall_program(communicator, ranges_of(sides.source, members), results, arguments.form);
    auto memory =
        std::make_unique<TypedBlocks>(ByteRow(sides.source, members), std::move(result), program.scratch);
    return planned(communicator, std::move(program), std::move(memory));
  }
  // What is here now makes way for what comes.
  schedule::Program program;
  program.copy(0, schedule::Buffer::scratch, 0, schedule::Buffer::result, 0, result.bytes());
  program.append(alltoall_program(communicator, results, results, arguments.form),
                 {.source = schedule::Buffer::scratch, .scratch_offset = result.bytes()});
  auto memory = std::make_unique<TypedBlocks>(ByteRow(), std::move(result), program.scratch);
  return planned(communicator, std::move(program), std::move(memory));
}

}  // namespace taihu::mpi::collectives
