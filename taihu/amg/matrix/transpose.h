// SPDX-License-Identifier: Apache-2.0
// The transpose of a distributed matrix as a separate matrix. The solver stores it: multiplying by a
// transpose in place scatters into rows of other threads and does not scale.
#pragma once

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// Collective.
DistributedMatrix transpose(const Context& context, const DistributedMatrix& matrix);

}  // namespace taihu::amg
