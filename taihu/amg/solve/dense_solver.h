// SPDX-License-Identifier: Apache-2.0
// Direct solution of the coarsest level: the inverse of a small matrix, which one pass multiplies with.
#pragma once

#include <vector>

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

class DenseSolver {
 public:
  /// Inverts the matrix of a single rank by Gauss-Jordan elimination with row exchanges, O(rows^3).
  /// `constant_kernel`: the matrix is singular, and constants are what it takes to zero, on each connected
  /// part; then the result is one of the solutions of systems that have one.
  DenseSolver(const Csr<double>& matrix, bool constant_kernel);

  /// Whether the matrix is singular to working precision where it should not be: there is nothing to solve
  /// with.
  bool singular() const { return singular_; }

  /// x = A^-1 b
  template <class Value>
  void solve(const Value* b, Value* x) const {
    for (LocalIndex i = 0; i < rows_; ++i) {
      double sum = 0;
      for (LocalIndex j = 0; j < rows_; ++j)
        sum += inverse_[std::size_t(i) * rows_ + j] * static_cast<double>(b[j]);
      x[i] = static_cast<Value>(sum);
    }
  }

 private:
  LocalIndex rows_;
  bool singular_ = false;
  std::vector<double> inverse_;
};

}  // namespace taihu::amg
