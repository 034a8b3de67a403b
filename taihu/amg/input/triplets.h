// SPDX-License-Identifier: Apache-2.0
// What the readers of matrix files share: entries in any order, and sizes that are refused before memory is
// taken for them.
#pragma once

#include <string>

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// Counted from 0.
struct Entry {
  GlobalIndex row, column;
  double value;
};

/// What a file says about its matrix.
struct MatrixSize {
  GlobalIndex rows, columns, entries;
};

/// Why a matrix of this size is not read; empty: it is.
std::string size_fault(const MatrixSize& size, int ranks);

/// The matrix with these entries in the caller's rows of an even distribution. Collective.
DistributedMatrix matrix_of_entries(const Context& context, const MatrixSize& size,
                                    const std::vector<Entry>& own_entries);

/// The caller's rows of an even distribution.
struct OwnRows {
  GlobalIndex first, last;
  bool has(GlobalIndex row) const { return row >= first && row < last; }
};
OwnRows own_rows(const Context& context, GlobalIndex rows);

}  // namespace taihu::amg
