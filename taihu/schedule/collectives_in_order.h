// SPDX-License-Identifier: Apache-2.0
// Collectives for networks whose links are not all alike: members take part in an order that keeps neighbours
// in the network together. `order` names each member once: position -> member. `place` and `blocks` are as in
// algorithms.h, by member; operations are commutative. Which form suits a network: collective_choice.h.
//
// Sources: R. Thakur, R. Rabenseifner, W. Gropp (see algorithms.h); W. J. Loch, G. P. Koslovski: Sparbit, a
// new logarithmic-cost and data locality-aware MPI Allgather algorithm, SBAC-PAD 2021 (distances from far to
// near); J. Chen et al.: Performance evaluation of allgather algorithms on terascale Linux cluster with fast
// ethernet, HPC Asia 2005 (neighbour exchange).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "taihu/schedule/algorithms.h"

namespace taihu::schedule {

/// Members 0, 1, ...
std::vector<int> plain_order(int members);
/// The position of a member. Throws nothing; the member is in the order.
int position_of(std::span<const int> order, int member);

/// An order for recursive doubling and halving, whose first exchanges (or last, of what doubles) are then
/// between members that are near to each other in `order`, and those of few data between far ones. The first
/// of `order` takes part when members are folded to a power of two (folding.h).
std::vector<int> near_first(std::span<const int> order);

/// `result` of the first of `order` to `result` of all, in `segments` parts that follow each other from one
/// to the next: n - 2 + segments rounds, c units.
Program bcast_chain(Place place, std::span<const int> order, std::size_t count, int segments,
                    Rounds rounds = {});
/// The same: binomial scatter, then recursive doubling. 2 log2 n rounds, 2 c units; one round of c units more
/// when n is not a power of two. The root is the first of `order` that takes part.
Program bcast_scatter_doubling(Place place, std::span<const int> order, std::size_t count);

/// Block k of `result` of all := `source` of member k. Ring: n - 1 rounds.
Program allgather_ring_in_order(Place place, std::span<const int> order, const Blocks& blocks,
                                Rounds rounds = {});
/// The same for an even number of members: two blocks to the neighbours on both sides in turns. n / 2 rounds.
Program allgather_neighbours(Place place, std::span<const int> order, const Blocks& blocks,
                             Rounds rounds = {});
/// The same in ceil(log2 n) rounds with distances that halve: most blocks go the shortest way. Scratch: all
/// blocks.
Program allgather_far_first(Place place, std::span<const int> order, const Blocks& blocks);

/// `result` of member k := combination of block k of `source` of all. Ring: n - 1 rounds, c units. Scratch:
/// two of the longest blocks.
Program reduce_scatter_ring(Place place, std::span<const int> order, const Blocks& blocks,
                            Rounds rounds = {});
/// The same by recursive halving: log2 n rounds, c units; two rounds more when n is not a power of two.
/// Scratch: 2 c.
Program reduce_scatter_halving(Place place, std::span<const int> order, const Blocks& blocks);

}  // namespace taihu::schedule
