// SPDX-License-Identifier: Apache-2.0
// Aggregates: disjoint groups of strongly connected rows, each one row of the next level.
// Roots are a distance-two independent set, each with its neighbours; where enough vertices are left between them, a second
// set on these makes further aggregates; what is left then joins the neighbouring aggregate it is coupled to most.
// Depends on the matrix alone, not on threads or ranks.
// Source: Kelley, Rajamanickam 2022 (arXiv:2204.02934), algorithm 3; Vanek, Mandel, Brezina 1996.
#pragma once

#include "taihu/amg/setup/strength.h"

namespace taihu::amg {

struct Aggregates {
  Distribution distribution;              ///< of the aggregates over the ranks
  Array<GlobalIndex> of_row;              ///< per own row and ghost: global aggregate, or -1: none (no strong neighbour)
};

/// Collective.
Aggregates aggregate(const Context& context, DistributedMatrix& matrix, const StrengthGraph& graph);

}  // namespace taihu::amg
