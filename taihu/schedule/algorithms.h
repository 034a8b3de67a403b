// SPDX-License-Identifier: Apache-2.0
// The collective algorithms: pure functions from (member count, member, sizes, root) to that member's steps.
// Any member count >= 1. Cost is told as rounds and bytes sent per member for n members and a buffer of b
// bytes.
//
// Sources: R. Thakur, R. Rabenseifner, W. Gropp: Optimization of collective communication operations in
// MPICH, IJHPCA 19(1), 2005; J. Bruck et al.: Efficient algorithms for all-to-all communications in multiport
// message-passing systems, IEEE TPDS 8(11), 1997; D. Hensgen, R. Finkel, U. Manber: Two algorithms for
// barrier synchronization, IJPP 17(1), 1988.
#pragma once

#include <cstddef>
#include <span>

#include "taihu/schedule/blocks.h"
#include "taihu/schedule/step.h"

namespace taihu::schedule {

/// Dissemination: log2 n rounds of empty messages.
Program barrier(Place place);

/// `result` of `root` to `result` of all. Binomial tree: log2 n rounds, up to b log2 n bytes from the root.
Program bcast_binomial(Place place, std::size_t bytes, int root);
/// The same for long buffers: binomial scatter, then ring allgather. log2 n + n - 1 rounds, 2 b bytes.
Program bcast_scatter_allgather(Place place, std::size_t bytes, int root);

/// May operands be taken in another order than that of the members?
enum class Operands { ordered, commutative };

/// `source` of all, combined in member order, to `result` of `root`. Binomial tree: log2 n rounds of b bytes;
/// one more when the order counts and the root is not member 0.
Program reduce_binomial(Place place, std::size_t bytes, int root, Operands operands);

/// Combination of all in member order, to `result` of all, the same bits everywhere. Recursive doubling: log2
/// n rounds of b bytes, two more when n is not a power of two.
Program allreduce_recursive_doubling(Place place, std::size_t bytes);
/// The same for long buffers and commutative operations: ring reduce-scatter, then ring allgather. 2 (n - 1)
/// rounds, 2 b bytes. Blocks are cut at multiples of `granule_bytes` (one element).
Program allreduce_ring(Place place, std::size_t bytes, std::size_t granule_bytes);

/// Block k of `result` of `root` := `source` (one block) of member k. Binomial tree, log2 n rounds.
Program gather_binomial(Place place, const Blocks& blocks, int root);
/// `result` (one block) of member k := block k of `source` of `root`. Binomial tree, log2 n rounds.
Program scatter_binomial(Place place, const Blocks& blocks, int root);

/// Block k of `result` of all := `source` (one block) of member k. Ring: n - 1 rounds.
Program allgather_ring(Place place, const Blocks& blocks);
/// The same in ceil(log2 n) rounds (Bruck), with scratch for a rotated copy: for short blocks.
Program allgather_bruck(Place place, const Blocks& blocks);

/// `source` range k of me goes to range `me` of `result` of member k. `sources` and `results` have one range
/// per member; what k sends to me is as long as my result range k. In round r member m sends to m + r and
/// receives from m - r; with `window` > 1 so many of these exchanges are under way together. n - 1 exchanges.
Program alltoall_pairwise(Place place, std::span<const Range> sources, std::span<const Range> results,
                          int window);
/// Equal blocks of `block_bytes` in ceil(log2 n) rounds (Bruck), each of half the buffer: for short blocks.
Program alltoall_bruck(Place place, std::size_t block_bytes);

/// `result` of member k := combination of `source` of members 0 .. k in this order. Recursive doubling, log2
/// n rounds.
Program scan_recursive_doubling(Place place, std::size_t bytes);

}  // namespace taihu::schedule
