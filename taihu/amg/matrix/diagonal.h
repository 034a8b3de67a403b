// SPDX-License-Identifier: Apache-2.0
// Properties of the diagonal and of the off-diagonal entries of a square matrix, for set-up.
#pragma once

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// The largest absolute off-diagonal value in each own row, then in each ghost's row. Collective.
Array<double> largest_coupling(const Context& context, DistributedMatrix& matrix);

/// Throws Error, on every rank, when the matrix is not square, is empty, has a value that is not finite, or a
/// zero on the diagonal; the text names the row, counted from 1. Collective.
void check_matrix(const Context& context, DistributedMatrix& matrix);

}  // namespace taihu::amg
