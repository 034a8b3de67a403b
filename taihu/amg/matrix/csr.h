// SPDX-License-Identifier: Apache-2.0
// A sparse matrix by rows, as set-up uses it: the entries of row i are starts[i] .. starts[i + 1] of `column`
// and `value`.
#pragma once

#include "taihu/amg/parallel/array.h"

namespace taihu::amg {

template <class Value>
struct Csr {
  LocalIndex rows = 0;
  LocalIndex columns = 0;
  Partition partition;  ///< of the rows; the arrays are laid out by it
  Array<Offset> starts;
  Array<LocalIndex> column;
  Array<Value> value;

  Offset entries() const { return rows == 0 ? 0 : starts[rows]; }

  /// Gives back the memory of the entries; rows, columns and the partition stay.
  void drop_entries() {
    starts = {};
    column = {};
    value = {};
  }
  bool has_entries() const { return !starts.empty(); }
};

/// A matrix with these row starts and room for its entries, partitioned by work.
template <class Value>
Csr<Value> csr_with_starts(Storage& storage, int parts, LocalIndex rows, LocalIndex columns,
                           Array<Offset> starts) {
  Csr<Value> matrix;
  matrix.rows = rows;
  matrix.columns = columns;
  matrix.starts = std::move(starts);
  matrix.partition = Partition::by_work(matrix.starts, parts);
  matrix.column = Array<LocalIndex>(storage, part_ends(matrix.partition, matrix.starts));
  matrix.value = Array<Value>(storage, part_ends(matrix.partition, matrix.starts));
  return matrix;
}

}  // namespace taihu::amg
