// SPDX-License-Identifier: Apache-2.0
// Which rows of a level are rows of the next one too ("coarse points"), for the classical family.
// PMIS: rounds of a maximal independent set of the strong graph; a row's priority is the number of rows that
// depend on it and then a hash of its global index. HMIS: the first pass of Ruge and Stueben within blocks of
// global rows first, of which the points without strong entries to other blocks stay; then PMIS for the rest.
// Blocks do not depend on ranks: the rank with the first row of a block gathers it. Aggressive: no two coarse
// points are within two steps in the strong graph. All depend on the matrix alone.
// Source: De Sterck, Yang, Heys 2006 (SIAM J. Matrix Anal. Appl. 27, 1019); Ruge, Stueben 1987.
#pragma once

#include "taihu/amg/options/options.h"
#include "taihu/amg/setup/complete_rows.h"

namespace taihu::amg {

/// Priorities of undecided rows are between the two.
using PointState = std::uint64_t;
inline constexpr PointState fine_point = 0;
inline constexpr PointState coarse_point = ~PointState{0};

/// fine_point or coarse_point per column of the rows. Collective.
Array<PointState> coarse_points(const Context& context, CompleteRows& rows, const Distribution& distribution,
                                Coarsening coarsening);

/// The same by distance two. Collective.
Array<PointState> aggressive_coarse_points(const Context& context, DistributedMatrix& matrix,
                                           CompleteRows& rows);

/// Rows of a block of the first pass.
inline constexpr GlobalIndex first_pass_rows = 65'536;

/// The first pass of Ruge and Stueben on one block: row i has the neighbours edge[begin] .. edge[end], its
/// range being given by `length` in order; an edge is 4 times the row in the block, plus 1 where row i
/// depends on it, plus 2 where it depends on row i. Returns a one for each coarse row.
std::vector<unsigned char> first_pass(const std::vector<LocalIndex>& length,
                                      const std::vector<LocalIndex>& edge);

}  // namespace taihu::amg
