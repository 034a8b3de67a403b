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

  /// Adds factor * value(k) in column(k) for k = begin .. end - 1. `columns` has the `length` columns of the
  /// row so far and gets the new ones; one element behind them is written. Returns their number. Whether a
  /// column is new is computed, not branched on: the branch could not be predicted (a mask, as compilers
  /// branch for a choice).
  template <class Column, class Value>
  LocalIndex add(double factor, Offset begin, Offset end, const Column& column, const Value& value,
                 LocalIndex* columns, LocalIndex length) {
    Sum* const sums = sums_.data();
    const std::uint32_t row = row_;
    for (Offset k = begin; k < end; ++k) {
      const LocalIndex j = column(k);
      Sum& sum = sums[j];
      const bool known = sum.row == row;
      const std::uint64_t kept = __builtin_bit_cast(std::uint64_t, sum.value) & -std::uint64_t{known};
      sum.value = __builtin_bit_cast(double, kept) + factor * value(k);
      sum.row = row;
      columns[length] = j;
      length += !known;
    }
    return length;
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
    length = sums.add(
        left.value[k], right.begin[left.column[k]], right.end[left.column[k]],
        [&](Offset m) { return right.column[m]; }, [&](Offset m) { return right.value[m]; }, columns, length);
  }
  return length;
}

}  // namespace taihu::amg
