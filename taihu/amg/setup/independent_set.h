// SPDX-License-Identifier: Apache-2.0
// A set of vertices with all others within two steps of it, and hardly two of its members: in blocks of 65536
// global rows each vertex joins when its turn comes and no member is near, first in every second block, then
// in the others, which see the members of the first. On grids this makes regular patterns, so that aggregates
// around the members are alike, unlike sets by random priorities. Members of two blocks of the same turn may
// be near each other. The result depends on the graph alone, not on threads or ranks. Source of the order in
// turn: Vanek, Mandel, Brezina 1996.
#pragma once

#include "taihu/amg/setup/strength.h"

namespace taihu::amg {

using VertexState = std::uint8_t;

/// What the set decided about a vertex.
namespace vertex_state {
inline constexpr VertexState in = 0;
inline constexpr VertexState out = 1;
inline constexpr VertexState excluded = 2;  ///< not a vertex of the graph looked at
}  // namespace vertex_state

/// `state` has one element per own row and ghost; on entry `excluded` or anything else, on return `in`, `out`
/// or `excluded`, for ghosts too. Collective.
void independent_set(const Context& context, DistributedMatrix& matrix, const StrengthGraph& graph,
                     Array<VertexState>& state);

}  // namespace taihu::amg
