// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solve/dense_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taihu::amg {
namespace {

// Left of the solver's pivots is a multiple of this of the largest entry: below it the matrix counts as
// singular.
constexpr double singular_pivot = 64 * std::numeric_limits<double>::epsilon();
// The same where rounding in the sums of coarse matrices is all that is left.
constexpr double rounding_pivot = 1e-10;

}  // namespace

DenseSolver::DenseSolver(const Csr<double>& matrix, bool constant_kernel)
    : rows_(matrix.rows), inverse_(std::size_t(rows_) * rows_) {
  const std::size_t n = rows_;
  std::vector<double> work(n * n);
  double largest = 0;
  for (LocalIndex i = 0; i < rows_; ++i) {
    for (Offset k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k) {
      work[i * n + matrix.column[k]] += matrix.value[k];
      largest = std::max(largest, std::abs(matrix.value[k]));
    }
    inverse_[i * n + i] = 1;
  }
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t i = column; i < n; ++i)
      if (std::abs(work[i * n + column]) > std::abs(work[pivot * n + column])) pivot = i;
    const double value = work[pivot * n + column];
    const bool last = column + 1 == n;
    if (!(std::abs(value) > (constant_kernel ? rounding_pivot : singular_pivot) * largest) ||
        (constant_kernel && last)) {
      singular_ |= !constant_kernel;
      // This unknown is zero; its equation follows from the others.
      std::fill_n(&work[column * n], n, 0.0);
      std::fill_n(&inverse_[column * n], n, 0.0);
      continue;
    }
    if (pivot != column) {
      std::swap_ranges(&work[pivot * n], &work[pivot * n] + n, &work[column * n]);
      std::swap_ranges(&inverse_[pivot * n], &inverse_[pivot * n] + n, &inverse_[column * n]);
    }
    const double factor = 1 / value;
    for (std::size_t j = column; j < n; ++j) work[column * n + j] *= factor;
    for (std::size_t j = 0; j < n; ++j) inverse_[column * n + j] *= factor;
    for (std::size_t i = 0; i < n; ++i) {
      const double multiple = work[i * n + column];
      if (i == column || multiple == 0) continue;
      for (std::size_t j = column; j < n; ++j) work[i * n + j] -= multiple * work[column * n + j];
      for (std::size_t j = 0; j < n; ++j) inverse_[i * n + j] -= multiple * inverse_[column * n + j];
    }
  }
}

}  // namespace taihu::amg
