// SPDX-License-Identifier: Apache-2.0
// The steps of set-up from one level to the next, in double precision.
#pragma once

#include "taihu/amg/matrix/distributed_matrix.h"
#include "taihu/amg/options/options.h"

namespace taihu::amg {

/// Between a level and the next coarser one.
struct Transfer {
  DistributedMatrix prolongation;
  DistributedMatrix restriction;
};

/// The transfer operators of a level `depth` levels below the finest; no columns in the prolongation when the
/// level cannot be made coarser. Collective.
Transfer make_transfer(const Context& context, DistributedMatrix& matrix, const HierarchyOptions& options,
                       int depth);

/// The matrix of the next level: restriction times matrix times prolongation. Collective.
DistributedMatrix coarse_matrix(const Context& context, const DistributedMatrix& matrix,
                                const Transfer& transfer);

/// All rows of the matrix on every rank, as a matrix of `solo`'s single rank. Collective.
DistributedMatrix replicate(const Context& context, const Context& solo, const DistributedMatrix& matrix);

}  // namespace taihu::amg
