// SPDX-License-Identifier: Apache-2.0
// The automatic choice between the families.
#pragma once

#include "taihu/amg/matrix/distributed_matrix.h"
#include "taihu/amg/options.h"

namespace taihu::amg {

/// The options with a family in place of Family::automatic: aggregation where less than half of the entries
/// beside the diagonal reach a quarter of the largest one of their row (strong anisotropy: points far apart
/// would leave too few neighbours to interpolate from); else classical with at least one aggressive level.
/// Collective.
HierarchyOptions with_family(const Context& context, const DistributedMatrix& matrix,
                             HierarchyOptions options);

}  // namespace taihu::amg
