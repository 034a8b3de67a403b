// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/smoother/scale.h"

#include <cmath>

namespace taihu::amg {
namespace {

// What one row of the matrix contributes to the smoothers.
struct RowSums {
  double diagonal = 0, absolute = 0, square = 0;
  double unit = 1;          // of square, so that it fits
  double other_blocks = 0;  // absolute values in columns outside of the row's block
};

RowSums row_sums(const Csr<double>& matrix, LocalIndex owned, LocalIndex i) {
  RowSums sums;
  for (Offset k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k) {
    const double value = matrix.value[k];
    if (matrix.column[k] == i) sums.diagonal = value;
    sums.absolute += std::abs(value);
    if (matrix.column[k] / row_block != i / row_block || matrix.column[k] >= owned)
      sums.other_blocks += std::abs(value);
    sums.square += value * value;
  }
  constexpr double largest = 1e290, smallest = 1e-290;
  if (sums.square > smallest && sums.square < largest) return sums;
  sums.unit = sums.absolute;
  sums.square = 0;
  for (Offset k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k)
    sums.square += matrix.value[k] / sums.unit * (matrix.value[k] / sums.unit);
  return sums;
}

double scale_of(const RowSums& sums, Smoother smoother) {
  if (sums.diagonal == 0) return 0;
  switch (smoother) {
    case Smoother::automatic:
    case Smoother::spai0:
      return sums.diagonal / sums.unit / sums.square / sums.unit;
    case Smoother::jacobi:
      return 2.0 / 3 / sums.diagonal;
    case Smoother::l1_jacobi:
      return std::copysign(1 / sums.absolute, sums.diagonal);
    case Smoother::gauss_seidel:
      return std::copysign(1 / (std::abs(sums.diagonal) + sums.other_blocks / 2), sums.diagonal);
    case Smoother::chebyshev:
      break;
  }
  return 1 / sums.diagonal;
}

}  // namespace

SmootherScale smoother_scale(const Context& context, const DistributedMatrix& matrix, Smoother smoother) {
  const Partition& partition = matrix.local.partition;
  SmootherScale result;
  result.scale = Array<double>(context.storage, part_ends(partition));
  std::vector<double> largest(context.team.size());
  context.team.run(partition, [&](LocalIndex begin, LocalIndex end, int thread) {
    double bound = 0;
    for (LocalIndex i = begin; i < end; ++i) {
      const RowSums sums = row_sums(matrix.local, matrix.owned_columns(), i);
      result.scale[i] = scale_of(sums, smoother);
      bound = std::max(bound, std::abs(result.scale[i]) * sums.absolute);
    }
    largest[thread] = bound;
  });
  for (const double bound : largest) result.largest = std::max(result.largest, bound);
  context.communicator.maximum({&result.largest, 1});
  return result;
}

}  // namespace taihu::amg
