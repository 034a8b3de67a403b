// SPDX-License-Identifier: Apache-2.0
// Direct solution of a matrix that is slender once its rows are in a good order: beams, chains, small
// systems. Reverse Cuthill-McKee order (Cuthill, McKee 1969; George 1971), then LU factors of the band with
// row exchanges (as LAPACK's dgbtrf). All on one rank and one thread, so the results do not depend on them.
#pragma once

#include <optional>
#include <vector>

#include "taihu/amg/matrix/csr.h"

namespace taihu::amg {

class BandSolver {
 public:
  /// More entries are not looked at.
  static constexpr Offset most_entries = 1 << 24;

  /// Factors the matrix of a single rank. Nothing when the band takes more than 256 MB or 2^35 operations, or
  /// the matrix is singular.
  static std::optional<BandSolver> make(const Csr<double>& matrix);

  LocalIndex rows() const { return static_cast<LocalIndex>(order_.size()); }
  std::size_t bytes() const { return band_.size() * sizeof(double); }

  /// Replaces the right-hand side by the solution.
  void solve(std::vector<double>& b) const;

 private:
  bool factor();
  double* row(LocalIndex i) { return &band_[std::size_t(i) * width()]; }
  const double* row(LocalIndex i) const { return &band_[std::size_t(i) * width()]; }
  /// Row i of the band has the columns i - half_ .. i + 2 half_: exchanges widen the upper part.
  std::size_t width() const { return 3 * std::size_t(half_) + 1; }

  LocalIndex half_ = 0;
  std::vector<LocalIndex> order_;     // row of the matrix at each place
  std::vector<LocalIndex> exchange_;  // place exchanged with, step by step
  std::vector<double> band_;
};

}  // namespace taihu::amg
