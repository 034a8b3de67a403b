// SPDX-License-Identifier: Apache-2.0
// Aggregates: disjoint groups of strongly connected rows, each one row of the next level.
// Roots are a distance-two independent set, each with its neighbours; where enough vertices are left between
// them, a second set on these makes further aggregates; what is left then joins the neighbouring aggregate it
// is coupled to most. Depends on the matrix alone, not on threads or ranks. Source: Vanek, Mandel, Brezina
// 1996; the second set: Kelley, Rajamanickam 2022 (arXiv:2204.02934), algorithm 3.
#pragma once

#include "taihu/amg/setup/strength.h"

namespace taihu::amg {

struct Aggregates {
  Distribution distribution;  ///< of the aggregates over the ranks
  Array<GlobalIndex> of_row;  ///< per own row and ghost: global aggregate, or -1: none (no strong neighbour)
};

/// A vertex of the second set needs the share `free_share` of its neighbours free to become a root (at most
/// half where it has fewer than five). Larger shares make fewer and larger aggregates: on the 7-point
/// Laplacian with 60^3 points 0.33 on all levels takes 13 iterations with operator complexity 2.0, 0.6 takes
/// 16 with 1.54, 1 takes 18 with 1.44. Collective.
Aggregates aggregate(const Context& context, DistributedMatrix& matrix, const StrengthGraph& graph,
                     double free_share);

}  // namespace taihu::amg
