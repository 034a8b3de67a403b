// SPDX-License-Identifier: Apache-2.0
// Which algorithm of schedule/ a collective takes: the one table of thresholds, but for those among leaders
// that plain_forms.h and network_choice.h know. All members decide alike, so only what is equal on all of
// them decides.
#pragma once

#include <cstddef>
#include <span>

#include "taihu/collective/operations.h"
#include "taihu/schedule/algorithms.h"
#include "taihu/schedule/collective_choice.h"

namespace taihu::collective {

/// Of blocking collectives among the leaders of node processes, one member each: every message crosses the
/// link, so bytes count.
namespace among_leaders {

/// From where on data are long: by TAIHU_LONG_BCAST_BYTES, TAIHU_LONG_ALLGATHER_BYTES,
/// TAIHU_LONG_ALLREDUCE_BYTES, which have to be the same in all node processes. Read once; throws Error for
/// what is not a size.
const schedule::LongBytes& long_bytes();

/// Whether blocks of `bytes` travel together (alltoall_bruck).
bool alltoall_is_short(int members, std::size_t bytes) noexcept;
/// Exchanges of a member under way together in a long alltoall.
extern const int alltoall_window;
/// What becomes of empty blocks of an alltoall; `equal`: all blocks have the same length by the rules of the
/// call.
schedule::Nothing empty_blocks(int members, bool equal) noexcept;

}  // namespace among_leaders

/// Of collectives that run in the background, and of those that have no form in shared memory: among all
/// members of a group, many of which share memory and perhaps cores. Rounds count, as each must wait for a
/// thread of every member to look.
namespace among_all {

/// What is reduced: `count` units of `unit_bytes`.
struct Operand {
  std::size_t count = 0;
  std::size_t unit_bytes = 1;
  bool commutative = true;
  bool divisible = true;  ///< whether parts of it may be moved and combined alone
  std::size_t bytes() const noexcept { return count * unit_bytes; }
};

/// `divisible`: whether `result` may be cut anywhere; if not, scratch is used where it must be.
schedule::Program bcast(schedule::Place place, std::size_t count, std::size_t unit_bytes, int root,
                        bool divisible);
/// In units of bytes. `equal`: all blocks have the same length by the rules of the call.
schedule::Program allgather(schedule::Place place, const schedule::Blocks& blocks, bool equal);
schedule::Program alltoall(schedule::Place place, std::span<const schedule::Range> sources,
                           std::span<const schedule::Range> results, bool equal);
schedule::Program reduce(schedule::Place place, const Operand& operand, int root);
schedule::Program allreduce(schedule::Place place, const Operand& operand);
/// Whether members of one node process had better combine straight from each other's buffers
/// (schedule::work_together).
bool shares_reduction(int members, const Operand& operand) noexcept;

}  // namespace among_all
}  // namespace taihu::collective
