// SPDX-License-Identifier: Apache-2.0
// What set-up asks about the diagonal of a square matrix and what is beside it.
#pragma once

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// The largest absolute value beside the diagonal of own rows, then of ghosts. Collective.
Array<double> largest_coupling(const Context& context, DistributedMatrix& matrix);

/// Throws Error, on every rank, when the matrix is not square, is empty, has a value that is not finite, or a
/// zero on the diagonal; the text names the row, counted from 1. Collective.
void check_matrix(const Context& context, DistributedMatrix& matrix);

}  // namespace taihu::amg
