// SPDX-License-Identifier: Apache-2.0
// How a distributed matrix is put together from rows with global columns that the caller can tell one after
// the other, without holding all of them and the matrix at once.
#pragma once

#include <algorithm>

#include "taihu/amg/matrix/distributed_matrix.h"
#include "taihu/base/contract.h"

namespace taihu::amg {

/// All that the lists hold, ascending and without repeats.
inline std::vector<GlobalIndex> merged(const std::vector<std::vector<GlobalIndex>>& lists) {
  std::vector<GlobalIndex> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

/// The matrix without its entries: distributions, ghosts, communication plan. Throws Error for a ghost
/// outside of the distribution. Collective.
DistributedMatrix matrix_frame(const Context& context, const Distribution& rows, const Distribution& columns,
                               std::vector<GlobalIndex> ghosts);

/// The number that a global column has in the matrix; one that is neither own nor a ghost is not allowed.
inline LocalIndex local_column(const DistributedMatrix& matrix, LocalIndex owned, GlobalIndex column) {
  if (column >= matrix.first_column && column < matrix.first_column + owned)
    return static_cast<LocalIndex>(column - matrix.first_column);
  const auto at = std::lower_bound(matrix.ghosts.begin(), matrix.ghosts.end(), column);
  expect(at != matrix.ghosts.end() && *at == column, "a column of a row is own or a ghost");
  return owned + static_cast<LocalIndex>(at - matrix.ghosts.begin());
}

}  // namespace taihu::amg
