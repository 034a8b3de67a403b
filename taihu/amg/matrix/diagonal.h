// SPDX-License-Identifier: Apache-2.0
// The diagonal of a distributed square matrix, with that of the ghosts, and the checks that any solver needs.
#pragma once

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// Elements for own rows, then for ghosts; 0 where a row has no diagonal entry. Collective.
Array<double> diagonal(const Context& context, DistributedMatrix& matrix);

/// Throws Error, on every rank, when the matrix is not square, is empty, has a value that is not finite, or a zero on the
/// diagonal; the text names the row, counted from 1. Collective.
void check_matrix(const Context& context, DistributedMatrix& matrix);

}  // namespace taihu::amg
