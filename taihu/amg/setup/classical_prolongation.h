// SPDX-License-Identifier: Apache-2.0
// Interpolation of classical multigrid from the coarse points of a level.
// Extended+i: a fine point interpolates from the coarse points that it, or a strong fine neighbour, depends
// on; entries to strong fine neighbours are distributed along the rows of these, also back to the point.
// Multipass, for aggressive coarsening: fine points next to coarse ones interpolate from these, then the
// neighbours of those through them, and so on.
// Both keep of each row the largest weights and scale them to the same sum.
// Source: De Sterck, Falgout, Nolting, Yang 2008 (Numer. Linear Algebra Appl. 15, 115), equation 4.10;
// Stueben 1999 (GMD report 70), A.7.5.
#pragma once

#include "taihu/amg/setup/coarse_points.h"

namespace taihu::amg {

/// `state` has fine_point or coarse_point for each column of the rows. Collective.
DistributedMatrix extended_prolongation(const Context& context, const DistributedMatrix& matrix,
                                        CompleteRows& rows, const Array<PointState>& state,
                                        const HierarchyOptions& options);

/// The same. Collective.
DistributedMatrix multipass_prolongation(const Context& context, const DistributedMatrix& matrix,
                                         CompleteRows& rows, const Array<PointState>& state,
                                         const HierarchyOptions& options);

}  // namespace taihu::amg
