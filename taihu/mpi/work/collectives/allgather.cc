// SPDX-License-Identifier: Apache-2.0
// Allgather and alltoall, with equal and unequal blocks, and alltoall with types.
#include <memory>
#include <string>

#include "taihu/collective/choice.h"
#include "taihu/collective/collectives.h"
#include "taihu/mpi/work/collectives/flat_buffer.h"
#include "taihu/mpi/work/collectives/neighbors.h"
#include "taihu/mpi/work/collectives/plain_blocks.h"
#include "taihu/mpi/work/collectives/running.h"
#include "taihu/mpi/work/collectives/typed_blocks.h"

namespace taihu::mpi::collectives {
namespace {

bool allows_in_place(const Communicator& communicator) noexcept {
  return !communicator.is_inter();
}

/// The buffers of an alltoall; in place: the source is not set.
struct BothSides {
  bool in_place;
  Blocks source{}, result{};
  std::string problem{};  ///< of the lengths that the caller sends itself
};

BothSides both_sides(Rank& rank, Communicator& communicator, const Alltoall& arguments) {
  const int members = communicator.partners().size();
  BothSides sides{allows_in_place(communicator) && is_in_place(arguments.send.address)};
  sides.result = blocks_of(rank, arguments.receive, arguments.form, members);
  if (sides.in_place) return sides;
  sides.source = blocks_of(rank, arguments.send, arguments.form, members);
  if (communicator.is_inter()) return sides;
  const Piece source = sides.source[communicator.rank], result = sides.result[communicator.rank];
  check_apart(source, result);
  if (own_lengths_differ(source, result)) [[unlikely]]
    sides.problem = own_length_problem(source, result);
  return sides;
}

/// Takes the result of a member whose own lengths do not fit together: it gets blocks as long as those that
/// it sends, for which its result has no room.
class Aside {
 public:
  Aside(bool is_needed, std::size_t block_bytes, int members)
      : memory_(is_needed ? std::make_unique_for_overwrite<std::byte[]>(block_bytes *
                                                                        static_cast<std::size_t>(members))
                          : nullptr) {}

  std::byte* instead_of(std::byte* result) const noexcept { return memory_ ? memory_.get() : result; }

 private:
  std::unique_ptr<std::byte[]> memory_;
};

int alltoall(collective::GroupHandle& handle, const FlatBlocks& source, const FlatBlocks& result, Form form) {
  const std::size_t bytes = source.block_bytes();
  if (form == Form::equal) {
    const Aside aside(bytes != result.block_bytes(), bytes, handle.size());
    return collective::alltoall(handle, source.data(), aside.instead_of(result.data()), bytes);
  }
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
  return checked_blocks(rank, side.address, side.counts, side.displacements, side.types, members);
}

namespace {

/// As in gather.cc.
bool run_plain(Rank& rank, Communicator& communicator, const Allgather& arguments) {
  const int members = communicator.size(), me = communicator.rank;
  PlainBuffer mine;
  if (!mine.set(rank, arguments.send, arguments.send_count, arguments.send_type)) return false;
  collective::GroupHandle& handle = communicator.collectives();
  if (arguments.with_counts) {
    PlainBlocks blocks;
    if (!blocks.set(rank, arguments.receive, arguments.receive_counts, arguments.displacements,
                    arguments.receive_type, members) ||
        !fit_together(mine, blocks.block(me)))
      return false;
    check_quickly(communicator, collective::allgatherv(handle, mine.data, mine.bytes, blocks.data(),
                                                       blocks.lengths(), blocks.offsets()));
    return true;
  }
  PlainBuffer row;
  if (!row.set(rank, arguments.receive, arguments.receive_count, arguments.receive_type, members) ||
      !fit_together(mine, row.block(me)))
    return false;
  check_quickly(communicator, collective::allgather(handle, mine.data, row.data, mine.bytes));
  return true;
}

}  // namespace

void run(Rank& rank, Communicator& communicator, const char* call, const Allgather& arguments) {
  if (communicator.is_inter()) return run_as_program(rank, communicator, call, arguments);
  if (run_plain(rank, communicator, arguments)) return;
  collective::GroupHandle& handle = communicator.collectives();
  const int me = communicator.rank;
  const Blocks blocks = blocks_of(rank, arguments, communicator.size());
  const FlatBlocks result(blocks, communicator.size());
  const bool in_place = is_in_place(arguments.send);
  Piece own = blocks[me];
  std::string problem;
  if (!in_place) {
    own = checked_buffer(rank, arguments.send, arguments.send_count, arguments.send_type);
    check_apart(own, blocks[me]);
    if (own_lengths_differ(own, blocks[me])) [[unlikely]]
      problem = own_length_problem(own, blocks[me]);
  }
  const FlatBuffer mine(own);
  if (in_place)
    result.pack(me);
  else
    mine.pack();
  const std::byte* const source = in_place ? result.block(me) : mine.data();
  int code = 0;
  if (arguments.with_counts) {
    code = collective::allgatherv(handle, source, mine.bytes(), result.data(), result.lengths(),
                                  result.offsets());
  } else {
    const Aside aside(!problem.empty(), mine.bytes(), communicator.size());
    code = collective::allgather(handle, source, aside.instead_of(result.data()), mine.bytes());
  }
  check_code(communicator, code, problem);
  result.unpack();
}

namespace {

/// As in gather.cc.
bool run_plain(Rank& rank, Communicator& communicator, const Alltoall& arguments) {
  const Side &send = arguments.send, &receive = arguments.receive;
  const int members = communicator.size(), me = communicator.rank;
  if (arguments.form == Form::with_types) return false;
  if (arguments.form == Form::equal) {
    PlainBuffer source, result;
    if (!source.set(rank, send.address, send.count, send.type, members) ||
        !result.set(rank, receive.address, receive.count, receive.type, members) ||
        !fit_together(source.block(me), result.block(me)))
      return false;
    check_quickly(communicator,
                  collective::alltoall(communicator.collectives(), source.data, result.data, source.bytes));
    return true;
  }
  PlainBlocks source, result;
  if (!source.set(rank, send.address, send.counts, send.displacements, send.type, members) ||
      !result.set(rank, receive.address, receive.counts, receive.displacements, receive.type, members) ||
      !fit_together(source.block(me), result.block(me)))
    return false;
  check_quickly(communicator,
                collective::alltoallv(communicator.collectives(), source.data(), source.lengths(),
                                      source.offsets(), result.data(), result.lengths(), result.offsets()));
  return true;
}

}  // namespace

void run(Rank& rank, Communicator& communicator, const char* call, const Alltoall& arguments) {
  if (communicator.is_inter()) return run_as_program(rank, communicator, call, arguments);
  if (run_plain(rank, communicator, arguments)) return;
  collective::GroupHandle& handle = communicator.collectives();
  const BothSides sides = both_sides(rank, communicator, arguments);
  const FlatBlocks result(sides.result, communicator.size());
  if (sides.in_place) {
    result.pack();
    check_code(communicator, alltoall(handle, result, result, arguments.form));
  } else {
    const FlatBlocks source(sides.source, communicator.size());
    source.pack();
    check_code(communicator, alltoall(handle, source, result, arguments.form), sides.problem);
  }
  result.unpack();
}

namespace {

/// For a member whose own lengths do not fit together: it sends what it has, and what comes goes nowhere.
/// Where each member has a length of its own, the others still choose by what this one expects.
Planned allgather_aside(Communicator& communicator, const Piece& mine, const schedule::Blocks& blocks,
                        bool equal, const std::string& problem) {
  schedule::Blocks sent;
  for (int k = 0; k < blocks.members(); ++k) {
    const bool is_mine = equal || k == communicator.rank;
    sent.starts.push_back(sent.starts.back() + (is_mine ? mine.bytes() : blocks.count(k)));
  }
  schedule::Program program;
  program.append(collective::among_all::allgather(members_of(communicator), sent, equal ? sent : blocks),
                 {.result = schedule::Buffer::scratch, .scratch_offset = sent.total()});
  auto memory = std::make_unique<TypedBlocks>(ByteRow(mine), ByteRow(), program.scratch);
  return planned(communicator, std::move(program), std::move(memory), problem);
}

}  // namespace

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
      if (own_lengths_differ(mine, own)) [[unlikely]]
        return allgather_aside(communicator, mine, blocks, !arguments.with_counts,
                               own_length_problem(mine, own));
    }
    program = collective::among_all::allgather(members_of(communicator), blocks, blocks);
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

/// As allgather_aside.
Planned alltoall_aside(const Communicator& communicator, const BothSides& sides, Form form) {
  const int members = communicator.size();
  const auto sources = ranges_of(sides.source, members);
  auto results = form == Form::equal ? sources : ranges_of(sides.result, members);
  const auto me = static_cast<std::size_t>(communicator.rank);
  results[me].count = sources[me].count;
  std::size_t end = 0;
  for (schedule::Range& range : results) {
    range.offset = end;
    end += range.count;
  }
  schedule::Program program;
  program.append(alltoall_program(communicator, sources, results, form),
                 {.result = schedule::Buffer::scratch, .scratch_offset = end});
  auto memory = std::make_unique<TypedBlocks>(ByteRow(sides.source, members), ByteRow(), program.scratch);
  return planned(communicator, std::move(program), std::move(memory), sides.problem);
}

}  // namespace

Planned plan(Rank& rank, Communicator& communicator, const Alltoall& arguments) {
  const int members = communicator.partners().size();
  const BothSides sides = both_sides(rank, communicator, arguments);
  if (!sides.problem.empty()) [[unlikely]]
    return alltoall_aside(communicator, sides, arguments.form);
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
