// SPDX-License-Identifier: Apache-2.0
// One row of a sparse product in the making: sums by column, with a mark that tells for which row a sum
// counts, so that nothing is cleared between rows. The order of the columns is that of their first use.
#pragma once

#include <algorithm>

#include "taihu/amg/matrix/loose_rows.h"

namespace taihu::amg {

class alignas(64) ProductSums {  // each thread has one: not in a common cache line
 public:
  ProductSums() = default;
  ProductSums(Storage& storage, LocalIndex columns) : sums_(storage, columns) {
    std::fill(sums_.begin(), sums_.end(), Sum{0, 0});
  }

  /// Begins the next row.
  void begin_row() {
    if (++row_ != 0) return;
    std::fill(sums_.begin(), sums_.end(), Sum{0, 0});
    row_ = 1;
  }

  /// Adds a product in a column. `columns` has the `length` columns of the row so far and gets a new one;
  /// columns[length] is written in any case. Returns their number. Whether a column is new is computed, not
  /// branched on: the branch could not be predicted (a mask, as compilers branch for a choice).
  LocalIndex add(double product, LocalIndex column, LocalIndex* columns, LocalIndex length) {
    Sum& sum = sums_[column];
    const bool known = sum.row == row_;
    const std::uint64_t kept = __builtin_bit_cast(std::uint64_t, sum.value) & -std::uint64_t{known};
    sum.value = __builtin_bit_cast(double, kept) + product;
    sum.row = row_;
    columns[length] = column;
    return length + !known;
  }

  /// The sum in a column of the row.
  double operator[](LocalIndex column) const { return sums_[column].value; }

 private:
  struct Sum {
    double value;
    std::uint32_t row;
  };

  Array<Sum> sums_;
  std::uint32_t row_ = 0;
};

/// Adds up one row of left times right; its columns go to `columns`, with one element behind. Returns their
/// number.
inline LocalIndex add_products(const Csr<double>& left, LocalIndex row, const RowsView& right,
                               ProductSums& sums, LocalIndex* columns) {
  constexpr Offset ahead = 6;  // rows of `right` that are on their way to the cache
  const Offset entries = left.starts[left.rows];
  sums.begin_row();
  LocalIndex length = 0;
  for (Offset k = left.starts[row]; k < left.starts[row + 1]; ++k) {
    const Offset next = right.begin[left.column[std::min(k + ahead, entries - 1)]];
    __builtin_prefetch(right.column + next);
    __builtin_prefetch(right.value + next);
    const double factor = left.value[k];
    const Offset last = right.end[left.column[k]];
    for (Offset m = right.begin[left.column[k]]; m < last; ++m)
      length = sums.add(factor * right.value[m], right.column[m], columns, length);
  }
  return length;
}

}  // namespace taihu::amg
