// SPDX-License-Identifier: Apache-2.0
// Which algorithm of schedule/ a collective takes: the thresholds that schedule/plain_choice.h and
// network_choice.h do not know. All members decide alike, so only what is equal on all of them decides.
#pragma once

#include <cstddef>
#include <span>

#include "taihu/collective/operations.h"
#include "taihu/schedule/algorithms.h"
#include "taihu/schedule/collective_choice.h"

namespace taihu::collective {

class PlainForms;

/// From where on data are long: by TAIHU_LONG_BCAST_BYTES, TAIHU_LONG_ALLGATHER_BYTES,
/// TAIHU_LONG_ALLREDUCE_BYTES, which have to be the same in all node processes. Read once; throws Error for
/// what is not a size.
const schedule::LongBytes& long_bytes();

/// Of blocking collectives among the leaders of node processes, one member each: every message crosses the
/// link, so bytes count.
namespace among_leaders {

/// Whether blocks of `bytes` travel together (alltoall_bruck).
bool alltoall_is_short(int members, std::size_t bytes) noexcept;
/// Exchanges of a member under way together in a long alltoall.
extern const int alltoall_window;
/// What becomes of empty blocks of an alltoall; `equal`: all blocks have the same length by the rules of the
/// call.
schedule::Nothing empty_blocks(int members, bool equal) noexcept;

}  // namespace among_leaders

/// Of collectives that run in the background, and of those that have no form in shared memory: among all
/// members of a group, many of which share memory and perhaps cores. What schedule/plain_choice.h knows is
/// taken from there, for progress in the background.
namespace among_all {

/// The caller's place, and the forms that its group keeps for the background; without them a form is made for
/// the call, and not told.
struct Members {
  schedule::Place place;
  PlainForms* forms = nullptr;
};

/// What is reduced: `count` units of `unit_bytes`.
struct Operand {
  std::size_t count = 0;
  std::size_t unit_bytes = 1;
  bool commutative = true;
  bool divisible = true;  ///< whether parts of it may be moved and combined alone
  std::size_t bytes() const noexcept { return count * unit_bytes; }
};

/// `divisible`: whether `result` may be cut anywhere; if not, scratch is used where it must be.
schedule::Program bcast(const Members& members, std::size_t count, std::size_t unit_bytes, int root,
                        bool divisible);
/// In units of bytes. `expected`: the blocks by which all members choose the form.
schedule::Program allgather(const Members& members, const schedule::Blocks& blocks,
                            const schedule::Blocks& expected);
/// `equal`: all blocks have the same length by the rules of the call.
schedule::Program alltoall(schedule::Place place, std::span<const schedule::Range> sources,
                           std::span<const schedule::Range> results, bool equal);
schedule::Program reduce(schedule::Place place, const Operand& operand, int root);
schedule::Program allreduce(const Members& members, const Operand& operand);
/// `blocks` of `operand`, in its units.
schedule::Program reduce_scatter(const Members& members, const Operand& operand,
                                 const schedule::Blocks& blocks);
/// Whether members of one node process had better combine straight from each other's buffers
/// (schedule::work_together).
bool shares_reduction(int members, const Operand& operand) noexcept;

}  // namespace among_all
}  // namespace taihu::collective
