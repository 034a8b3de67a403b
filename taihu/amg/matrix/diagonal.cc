// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/diagonal.h"

#include <cmath>
#include <limits>

#include "taihu/base/error.h"

namespace taihu::amg {

Array<double> largest_coupling(const Context& context, DistributedMatrix& matrix) {
  const Csr<double>& local = matrix.local;
  Array<double> result(context.storage, part_ends(local.partition, 1, matrix.ghosts.size()));
  context.team.run(local.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      double largest = 0;
      for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k)
        if (local.column[k] != i) largest = std::max(largest, std::abs(local.value[k]));
      result[i] = largest;
    }
  });
  matrix.halo.exchange(context.communicator, result.data(), local.rows);
  return result;
}

void check_matrix(const Context& context, DistributedMatrix& matrix) {
  check_input(matrix.row_distribution == matrix.column_distribution,
              "the matrix is not square (" + std::to_string(matrix.rows()) + " rows, " +
                  std::to_string(matrix.column_distribution.rows()) +
                  " columns); a linear system needs a square matrix");
  check_input(matrix.rows() > 0, "the matrix has no rows");
  constexpr GlobalIndex none = std::numeric_limits<GlobalIndex>::max();
  std::vector<GlobalIndex> not_finite(context.team.size(), none), no_diagonal(context.team.size(), none);
  const Csr<double>& local = matrix.local;
  context.team.run(local.partition, [&](LocalIndex begin, LocalIndex end, int thread) {
    for (LocalIndex i = begin; i < end; ++i) {
      double diagonal = 0;
      double row = 0;
      for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k) {
        row += 0 * local.value[k];  // not a number if the value is not finite
        if (local.column[k] == i) diagonal = local.value[k];
      }
      const GlobalIndex global = matrix.first_row + i;
      if (row != 0) not_finite[thread] = std::min(not_finite[thread], global);
      if (diagonal == 0) no_diagonal[thread] = std::min(no_diagonal[thread], global);
    }
  });
  double lowest[2] = {-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (int thread = 0; thread < context.team.size(); ++thread) {
    if (not_finite[thread] != none) lowest[0] = std::max(lowest[0], -static_cast<double>(not_finite[thread]));
    if (no_diagonal[thread] != none)
      lowest[1] = std::max(lowest[1], -static_cast<double>(no_diagonal[thread]));
  }
  context.communicator.maximum(lowest);
  const auto row_text = [](double negative) {
    return std::to_string(static_cast<GlobalIndex>(-negative) + 1);
  };
  check_input(std::isinf(lowest[0]), "row " + row_text(std::isinf(lowest[0]) ? 0 : lowest[0]) +
                                         " of the matrix has a value that is not a finite number");
  check_input(std::isinf(lowest[1]),
              "row " + row_text(std::isinf(lowest[1]) ? 0 : lowest[1]) +
                  " of the matrix has a zero on the diagonal; multigrid smoothers divide by it");
}

}  // namespace taihu::amg
