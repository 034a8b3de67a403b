// SPDX-License-Identifier: Apache-2.0
// Products of sparse matrices, row by row (Gustavson 1978): row i of A B is the sum of the rows of B that row
// i of A names. A thread adds up a row in an array with one sum for each column and writes it to its own part
// of one large array, of which only the used pages take memory.
#pragma once

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// Left times right. Columns of left are distributed as the rows of right. Collective.
DistributedMatrix multiply(const Context& context, const DistributedMatrix& left,
                           const DistributedMatrix& right);

/// Left (middle right): the Galerkin product with left the transpose of right, without a finished matrix
/// between.
DistributedMatrix triple_product(const Context& context, const DistributedMatrix& left,
                                 const DistributedMatrix& middle, const DistributedMatrix& right);

}  // namespace taihu::amg
