// SPDX-License-Identifier: Apache-2.0
// A maximal set of vertices no two of which are within two steps of each other, found in rounds: each vertex
// has a pseudo-random priority made of its global index and the round, and joins when it has the best one
// within two steps. The result depends on the graph alone, not on threads or ranks. Source: Bell, Dalton,
// Olson 2012 (SIAM J. Sci. Comput. 34, C123); Kelley, Rajamanickam 2022 (arXiv:2204.02934).
#pragma once

#include "taihu/amg/setup/strength.h"

namespace taihu::amg {

/// 32 bits: of two vertices within two steps about one pair in 2^31 has the same priority, and both may join
/// then.
using VertexState = std::uint32_t;

/// What the set decided about a vertex; values between `in` and `out` are priorities of undecided ones.
namespace vertex_state {
inline constexpr VertexState in = 0;
inline constexpr VertexState out = ~VertexState{1};
inline constexpr VertexState excluded = ~VertexState{0};  ///< not a vertex of the graph looked at
}  // namespace vertex_state

/// `state` has one element per own row and ghost; on entry `excluded` or anything else, on return `in`, `out`
/// or `excluded`, for ghosts too. Collective.
void independent_set(const Context& context, DistributedMatrix& matrix, const StrengthGraph& graph,
                     Array<VertexState>& state);

}  // namespace taihu::amg
