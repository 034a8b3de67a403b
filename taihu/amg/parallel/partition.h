// SPDX-License-Identifier: Apache-2.0
// Who owns which rows: consecutive ranges of the rows of one level, one for each thread of a team. One
// partition per level is used for everything that has rows (matrix, vectors, transfer operators), by all
// kernels and by the allocation of the arrays, so that a thread finds its rows on its own memory node. Bounds
// are multiples of `row_block`: threads never share a cache line of a vector or a slice of a matrix, and sums
// over blocks do not depend on the number of threads. Small levels have fewer parts with rows than there are
// threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace taihu::amg {

using LocalIndex = std::int32_t;   ///< row or column inside one rank
using GlobalIndex = std::int64_t;  ///< row or column of the whole matrix
using Offset = std::int64_t;       ///< position in the entries of one rank

/// Rows in one block: the unit of partitions and of partial sums.
inline constexpr LocalIndex row_block = 256;

class Partition {
 public:
  /// No rows, one part.
  Partition() : bounds_{0, 0} {}

  /// `rows` rows in up to `parts` parts of equal length; parts + 1 bounds, trailing parts may be empty.
  static Partition even(LocalIndex rows, int parts);

  /// Parts of equal work, where row i costs starts[i + 1] - starts[i] + 2. As many parts get rows as there is
  /// work for; the others are empty.
  static Partition by_work(std::span<const Offset> starts, int parts);

  int parts() const { return static_cast<int>(bounds_.size()) - 1; }
  LocalIndex rows() const { return bounds_.back(); }
  LocalIndex begin(int part) const { return bounds_[part]; }
  LocalIndex end(int part) const { return bounds_[part + 1]; }

  /// Whether the first part has all rows: no need to wake other threads.
  bool single() const { return bounds_[1] == bounds_.back(); }

 private:
  std::vector<LocalIndex> bounds_;
};

}  // namespace taihu::amg
