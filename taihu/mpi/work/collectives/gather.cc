// SPDX-License-Identifier: Apache-2.0
// Gather and scatter, with equal and unequal blocks.
#include <string>

#include "taihu/collective/collectives.h"
#include "taihu/mpi/work/collectives/flat_buffer.h"
#include "taihu/mpi/work/collectives/plain_blocks.h"
#include "taihu/mpi/work/collectives/running.h"
#include "taihu/mpi/work/collectives/typed_blocks.h"

namespace taihu::mpi::collectives {
namespace {

/// The caller's buffers in a collective with a root.
struct Parts {
  explicit Parts(Role of) : role(of) {}

  Role role;
  bool has_mine = false;  ///< false: in place, or nothing to move here
  Piece mine{};
  Blocks blocks{};        ///< on the root
  std::string problem{};  ///< of the root's own lengths; then it is not `has_mine`, so that nothing is copied
};

Blocks root_blocks(Rank& rank, int members, const Gather& arguments) {
  return arguments.with_counts ? checked_blocks(rank, arguments.receive, arguments.receive_counts,
                                                arguments.displacements, arguments.receive_type, members)
                               : checked_blocks(rank, arguments.receive, arguments.receive_count,
                                                arguments.receive_type, members);
}
Blocks root_blocks(Rank& rank, int members, const Scatter& arguments) {
  return arguments.with_counts
             ? checked_blocks(rank, arguments.send, arguments.send_counts, arguments.displacements,
                              arguments.send_type, members)
             : checked_blocks(rank, arguments.send, arguments.send_count, arguments.send_type, members);
}
Piece own_buffer(Rank& rank, const Gather& arguments) {
  return checked_buffer(rank, arguments.send, arguments.send_count, arguments.send_type);
}
Piece own_buffer(Rank& rank, const Scatter& arguments) {
  return checked_buffer(rank, arguments.receive, arguments.receive_count, arguments.receive_type);
}
bool is_own_in_place(const Gather& arguments) {
  return is_in_place(arguments.send);
}
bool is_own_in_place(const Scatter& arguments) {
  return is_in_place(arguments.receive);
}

template <class Arguments>
Parts parts_of(Rank& rank, Communicator& communicator, const Arguments& arguments) {
  Parts parts(role_of(communicator, arguments.root));
  if (parts.role == Role::bystander) return parts;
  if (parts.role == Role::root) parts.blocks = root_blocks(rank, communicator.partners().size(), arguments);
  const bool takes_part = parts.role == Role::leaf || !communicator.is_inter();
  parts.has_mine = takes_part && !(parts.role == Role::root && is_own_in_place(arguments));
  if (!parts.has_mine) return parts;
  parts.mine = own_buffer(rank, arguments);
  if (parts.role == Role::root) {
    const Piece block = parts.blocks[communicator.rank];
    check_apart(parts.mine, block);
    if (own_lengths_differ(parts.mine, block)) [[unlikely]] {
      parts.problem = own_length_problem(parts.mine, block);
      parts.has_mine = false;
    }
  }
  return parts;
}

/// The call as it is, where the caller's buffers are plain ones; false, and nothing has happened, elsewhere,
/// in place, and where something is wrong.
bool run_plain(Rank& rank, Communicator& communicator, const Gather& arguments) {
  const int members = communicator.size(), me = communicator.rank, root = arguments.root;
  PlainBuffer mine;
  if (root < 0 || root >= members ||
      !mine.set(rank, arguments.send, arguments.send_count, arguments.send_type))
    return false;
  collective::GroupHandle& handle = communicator.collectives();
  if (arguments.with_counts) {
    PlainBlocks blocks;
    if (me == root && !(blocks.set(rank, arguments.receive, arguments.receive_counts, arguments.displacements,
                                   arguments.receive_type, members) &&
                        fit_together(mine, blocks.block(me))))
      return false;
    const auto* const lengths = me == root ? blocks.lengths() : nullptr;
    const auto* const offsets = me == root ? blocks.offsets() : nullptr;
    check_quickly(communicator,
                  collective::gatherv(handle, mine.data, mine.bytes, blocks.data(), lengths, offsets, root));
    return true;
  }
  PlainBuffer row;
  if (me == root &&
      !(row.set(rank, arguments.receive, arguments.receive_count, arguments.receive_type, members) &&
        fit_together(mine, row.block(me))))
    return false;
  check_quickly(communicator, collective::gather(handle, mine.data, row.data, mine.bytes, root));
  return true;
}

bool run_plain(Rank& rank, Communicator& communicator, const Scatter& arguments) {
  const int members = communicator.size(), me = communicator.rank, root = arguments.root;
  PlainBuffer mine;
  if (root < 0 || root >= members ||
      !mine.set(rank, arguments.receive, arguments.receive_count, arguments.receive_type))
    return false;
  collective::GroupHandle& handle = communicator.collectives();
  if (arguments.with_counts) {
    PlainBlocks blocks;
    if (me == root && !(blocks.set(rank, arguments.send, arguments.send_counts, arguments.displacements,
                                   arguments.send_type, members) &&
                        fit_together(blocks.block(me), mine)))
      return false;
    const auto* const lengths = me == root ? blocks.lengths() : nullptr;
    const auto* const offsets = me == root ? blocks.offsets() : nullptr;
    check_quickly(communicator,
                  collective::scatterv(handle, blocks.data(), lengths, offsets, mine.data, mine.bytes, root));
    return true;
  }
  PlainBuffer row;
  if (me == root && !(row.set(rank, arguments.send, arguments.send_count, arguments.send_type, members) &&
                      fit_together(row.block(me), mine)))
    return false;
  check_quickly(communicator, collective::scatter(handle, row.data, mine.data, mine.bytes, root));
  return true;
}

int gather_to_root(Communicator& communicator, const Parts& parts, const Gather& arguments) {
  collective::GroupHandle& handle = communicator.collectives();
  const int me = communicator.rank;
  const FlatBlocks result(parts.blocks, communicator.size());
  const FlatBuffer mine(parts.has_mine ? parts.mine : parts.blocks[me]);
  if (parts.has_mine)
    mine.pack();
  else
    result.pack(me);
  const std::byte* const source = parts.has_mine ? mine.data() : result.block(me);
  const int code = arguments.with_counts
                       ? collective::gatherv(handle, source, mine.bytes(), result.data(), result.lengths(),
                                             result.offsets(), me)
                       : collective::gather(handle, source, result.data(), result.block_bytes(), me);
  result.unpack();
  return code;
}

int scatter_from_root(Communicator& communicator, const Parts& parts, const Scatter& arguments) {
  collective::GroupHandle& handle = communicator.collectives();
  const int me = communicator.rank;
  const FlatBlocks source(parts.blocks, communicator.size());
  const FlatBuffer mine(parts.has_mine ? parts.mine : parts.blocks[me]);
  source.pack();
  std::byte* const result = parts.has_mine ? mine.data() : source.block(me);
  const int code = arguments.with_counts
                       ? collective::scatterv(handle, source.data(), source.lengths(), source.offsets(),
                                              result, mine.bytes(), me)
                       : collective::scatter(handle, source.data(), result, source.block_bytes(), me);
  if (parts.has_mine) mine.unpack();
  return code;
}

}  // namespace

void run(Rank& rank, Communicator& communicator, const char* call, const Gather& arguments) {
  if (communicator.is_inter()) return run_as_program(rank, communicator, call, arguments);
  if (run_plain(rank, communicator, arguments)) return;
  const Parts parts = parts_of(rank, communicator, arguments);
  if (parts.role == Role::root)
    return check_code(communicator, gather_to_root(communicator, parts, arguments), parts.problem);
  collective::GroupHandle& handle = communicator.collectives();
  const FlatBuffer mine(parts.mine);
  mine.pack();
  check_code(
      communicator,
      arguments.with_counts
          ? collective::gatherv(handle, mine.data(), mine.bytes(), nullptr, nullptr, nullptr, arguments.root)
          : collective::gather(handle, mine.data(), nullptr, mine.bytes(), arguments.root));
}

void run(Rank& rank, Communicator& communicator, const char* call, const Scatter& arguments) {
  if (communicator.is_inter()) return run_as_program(rank, communicator, call, arguments);
  if (run_plain(rank, communicator, arguments)) return;
  const Parts parts = parts_of(rank, communicator, arguments);
  if (parts.role == Role::root)
    return check_code(communicator, scatter_from_root(communicator, parts, arguments), parts.problem);
  collective::GroupHandle& handle = communicator.collectives();
  const FlatBuffer mine(parts.mine);
  check_code(
      communicator,
      arguments.with_counts
          ? collective::scatterv(handle, nullptr, nullptr, nullptr, mine.data(), mine.bytes(), arguments.root)
          : collective::scatter(handle, nullptr, mine.data(), mine.bytes(), arguments.root));
  mine.unpack();
}

namespace {

/// Ranges of all blocks that move between the caller and the members of the other group, one each.
std::vector<schedule::Transfer> with_all_others(const schedule::TwoGroups& groups,
                                                const schedule::Blocks& blocks) {
  std::vector<schedule::Transfer> transfers;
  for (int k = 0; k < groups.others; ++k)
    transfers.push_back({groups.other(k), {blocks.start(k), blocks.count(k)}});
  return transfers;
}

}  // namespace

Planned plan(Rank& rank, Communicator& communicator, const Gather& arguments) {
  const Parts parts = parts_of(rank, communicator, arguments);
  if (parts.role == Role::bystander) return nothing_to_do();
  const int members = parts.role == Role::root ? communicator.partners().size() : 0;
  const schedule::Blocks blocks = starts_of(parts.blocks, members);
  ByteRow result = members != 0 ? ByteRow(parts.blocks, members) : ByteRow();
  ByteRow mine = parts.has_mine ? ByteRow(parts.mine) : ByteRow();
  schedule::Program program;
  if (!communicator.is_inter()) {
    const std::size_t own = parts.has_mine ? mine.bytes() : 0;
    program = schedule::gather_direct(place_in(communicator), blocks, own, arguments.root);
  } else if (parts.role == Role::root) {
    program = schedule::transfers(with_all_others(groups_of(communicator), blocks), {});
  } else {
    const schedule::Transfer to{groups_of(communicator).other(arguments.root), {0, mine.bytes()}};
    program = schedule::transfers({}, {&to, 1});
  }
  return planned(communicator, std::move(program),
                 std::make_unique<TypedBlocks>(std::move(mine), std::move(result), 0), parts.problem);
}

Planned plan(Rank& rank, Communicator& communicator, const Scatter& arguments) {
  const Parts parts = parts_of(rank, communicator, arguments);
  if (parts.role == Role::bystander) return nothing_to_do();
  const int members = parts.role == Role::root ? communicator.partners().size() : 0;
  const schedule::Blocks blocks = starts_of(parts.blocks, members);
  ByteRow source = members != 0 ? ByteRow(parts.blocks, members) : ByteRow();
  ByteRow mine = parts.has_mine ? ByteRow(parts.mine) : ByteRow();
  schedule::Program program;
  if (!communicator.is_inter()) {
    const std::size_t own = parts.has_mine ? mine.bytes() : 0;
    program = schedule::scatter_direct(place_in(communicator), blocks, own, arguments.root);
  } else if (parts.role == Role::root) {
    program = schedule::transfers({}, with_all_others(groups_of(communicator), blocks));
  } else {
    const schedule::Transfer from{groups_of(communicator).other(arguments.root), {0, mine.bytes()}};
    program = schedule::transfers({&from, 1}, {});
  }
  return planned(communicator, std::move(program),
                 std::make_unique<TypedBlocks>(std::move(source), std::move(mine), 0), parts.problem);
}

}  // namespace taihu::mpi::collectives
