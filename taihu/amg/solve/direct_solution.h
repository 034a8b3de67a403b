// SPDX-License-Identifier: Apache-2.0
// The factors of the whole matrix in the place of a multigrid cycle.
#pragma once

#include "taihu/amg/solve/system.h"

namespace taihu::amg {

/// Rank 0 has the factors; its outcome is too_large where the matrix is no matter for BandSolver. Makes
/// `system`. Collective.
std::unique_ptr<Preconditioner> make_direct_solution(const Context& context, DistributedMatrix& matrix,
                                                     SystemMatrix& system);

}  // namespace taihu::amg
