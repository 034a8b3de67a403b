// SPDX-License-Identifier: Apache-2.0
// The collective algorithms: pure functions from (member count, member, sizes, root) to that member's steps.
// Any member count >= 1. Cost is told as rounds and units sent per member for n members and a buffer of c
// units. Where a function takes `Rounds`, it makes only this part of the program. A program has at most 5 n
// steps (alltoall_bruck, for short blocks, n log2 n + 3 n) and, unless another number is told, no scratch.
// Which algorithm a call takes is decided in collective/choice.h.
//
// Sources: R. Thakur, R. Rabenseifner, W. Gropp: Optimization of collective communication operations in
// MPICH, IJHPCA 19(1), 2005; J. Bruck et al.: Efficient algorithms for all-to-all communications in multiport
// message-passing systems, IEEE TPDS 8(11), 1997; D. Hensgen, R. Finkel, U. Manber: Two algorithms for
// barrier synchronization, IJPP 17(1), 1988; R. Rabenseifner: Optimization of collective reduction
// operations, ICCS 2004.
#pragma once

#include <cstddef>
#include <span>

#include "taihu/schedule/blocks.h"
#include "taihu/schedule/step.h"

namespace taihu::schedule {

/// Dissemination: log2 n rounds of empty messages.
Program barrier(Place place);

/// `result` of `root` to `result` of all. Binomial tree: log2 n rounds, up to c log2 n units from the root.
Program bcast_binomial(Place place, std::size_t count, int root);
/// The same for long buffers: binomial scatter, then ring allgather. log2 n + n - 1 rounds, 2 c units.
Program bcast_scatter_allgather(Place place, std::size_t count, int root, Rounds rounds = {});
/// The same where many transfers may be under way at once: the root sends each member its block, and all tell
/// all. 2 rounds, c units per member and 2 c from the root. Blocks are cut at multiples of `granule` units.
Program bcast_scatter_exchange(Place place, std::size_t count, int root, std::size_t granule = 1);
/// `bcast` in scratch (c units), for a `result` that cannot be cut; copied there and back.
Program staged_bcast(Place place, const Program& bcast, std::size_t count, int root);

/// May operands be taken in another order than that of the members?
enum class Operands { ordered, commutative };

/// `source` of all, combined in member order, to `result` of `root`. Binomial tree: log2 n rounds of c units;
/// one more when the order counts and the root is not member 0. Scratch: up to 2 c.
Program reduce_binomial(Place place, std::size_t count, int root, Operands operands);
/// The same for long buffers and commutative operations: recursive halving, then all parts to the root. log2
/// n
/// + 1 rounds (and one when n is not a power of two), c units. Scratch: up to 2 c.
Program reduce_halving(Place place, std::size_t count, int root);

/// Combination of all in member order, to `result` of all, the same bits everywhere. Recursive doubling: log2
/// n rounds of c units, two more when n is not a power of two. Scratch: c.
Program allreduce_recursive_doubling(Place place, std::size_t count);
/// The same for long buffers and commutative operations: recursive halving, then recursive doubling. 2 log2 n
/// rounds, 2 c units; two rounds of c units more when n is not a power of two. Scratch: c.
Program allreduce_halving(Place place, std::size_t count);
/// The same by a ring reduce-scatter, then a ring allgather. 2 (n - 1) rounds, 2 c units. Blocks are cut at
/// multiples of `granule` units (one element). Scratch: one block. With buffers that are `apart`, so that
/// `source` may be read to the end, nothing is copied and there is no scratch; the messages are the same.
Program allreduce_ring(Place place, std::size_t count, std::size_t granule = 1, Rounds rounds = {},
                       bool apart = false);

/// `result` (one block) of member k := combination of block k of `source` of all, in member order. Every
/// member sends every other its block: 1 round, c units. Scratch: a block of each.
Program reduce_scatter_direct(Place place, const Blocks& blocks);

/// Block k of `result` of `root` := `source` (one block) of member k. Binomial tree, log2 n rounds. Scratch:
/// the blocks of the caller's subtree, of half the members at most.
Program gather_binomial(Place place, const Blocks& blocks, int root);
/// The same in one round, for blocks whose lengths only the root knows: `own_count` is the caller's, `blocks`
/// is used on the root.
Program gather_direct(Place place, const Blocks& blocks, std::size_t own_count, int root);
/// `result` (one block) of member k := block k of `source` of `root`. Binomial tree, log2 n rounds. Scratch:
/// as in gather_binomial.
Program scatter_binomial(Place place, const Blocks& blocks, int root);
/// As gather_direct.
Program scatter_direct(Place place, const Blocks& blocks, std::size_t own_count, int root);

/// Block k of `result` of all := `source` (one block) of member k. Ring: n - 1 rounds.
Program allgather_ring(Place place, const Blocks& blocks);
/// The same in ceil(log2 n) rounds (Bruck), for short blocks. Scratch: all blocks.
Program allgather_bruck(Place place, const Blocks& blocks);
/// The same in one round: every member sends its block to every other.
Program allgather_direct(Place place, const Blocks& blocks);

/// What becomes of blocks without units: empty messages, by which a member learns that it expects too much,
/// or none, which is fewer messages where most blocks are empty.
enum class Nothing { sent, left_out };

/// `source` range k of me goes to range `me` of `result` of member k. `sources` and `results` have one range
/// per member; what k sends to me is as long as my result range k. In round r member m sends to m + r and
/// receives from m - r; with `window` > 1 so many of these exchanges are under way together. n - 1 exchanges.
Program alltoall_pairwise(Place place, std::span<const Range> sources, std::span<const Range> results,
                          int window, Nothing nothing = Nothing::sent);
/// Equal blocks of `block_count` in ceil(log2 n) rounds (Bruck), each of half the buffer: for short blocks.
/// Scratch: twice all blocks.
Program alltoall_bruck(Place place, std::size_t block_count);

/// `result` of member k := combination of `source` of members 0 .. k in this order. Recursive doubling, log2
/// n rounds. Scratch: c.
Program scan_recursive_doubling(Place place, std::size_t count);
/// The same of members 0 .. k - 1; `result` of member 0 is not touched. Scratch: 2 c.
Program exscan_recursive_doubling(Place place, std::size_t count);

/// One side of a transfer.
struct Transfer {
  int peer = 0;
  Range range{};
};

/// What a member has to exchange with its neighbours: into ranges of `result` and from ranges of `source`,
/// all under way together.
Program transfers(std::span<const Transfer> receives, std::span<const Transfer> sends);

/// All tell all `count` units of `source`, of which `result` becomes the table; then each does its own work,
/// and nobody ends before all have done theirs. 2 rounds.
Program work_together(Place place, std::size_t count);

}  // namespace taihu::schedule
