// SPDX-License-Identifier: Apache-2.0
// Prolongation of smoothed aggregation: P = (I - S F) T, where T has a one for each row in the column of its
// aggregate, F is the matrix with its weak entries added to the diagonal, and S the diagonal matrix of
// min(omega / f_ii, 2 omega / sum_j |f_ij|). The second bound keeps the spectrum of S F below 2 omega for any
// matrix, row by row and so without an estimate of the largest eigenvalue. Source: Vanek, Mandel, Brezina
// 1996, with that damping.
#pragma once

#include "taihu/amg/setup/aggregation.h"

namespace taihu::amg {

/// The matrix, its strong entries, the aggregates. Collective.
DistributedMatrix smoothed_prolongation(const Context& context, const DistributedMatrix& matrix,
                                        const StrengthGraph& graph, const Aggregates& aggregates,
                                        double omega);

}  // namespace taihu::amg
