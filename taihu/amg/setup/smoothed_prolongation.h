// SPDX-License-Identifier: Apache-2.0
// Prolongation of smoothed aggregation: P = (I - omega D^-1 F) T, where T has a one for each row in the column of its
// aggregate, F is the matrix with its weak entries added to the diagonal, and D the diagonal of F.
// Source: Vanek, Mandel, Brezina 1996.
#pragma once

#include "taihu/amg/setup/aggregation.h"

namespace taihu::amg {

/// The matrix, its strong entries, the aggregates. Collective.
DistributedMatrix smoothed_prolongation(const Context& context, const DistributedMatrix& matrix, const StrengthGraph& graph,
                                        const Aggregates& aggregates, double omega);

}  // namespace taihu::amg
