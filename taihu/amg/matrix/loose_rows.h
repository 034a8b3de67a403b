// SPDX-License-Identifier: Apache-2.0
// Rows of a sparse product before they are packed: entries in any order, rows one behind the other except for
// gaps between the parts of threads. Row i is begin[i] .. end[i]; the first rows belong to the rank, further
// ones may be copies of rows of other ranks. Columns below owned_columns are own ones of the distribution,
// the others are ghosts by ascending global index.
#pragma once

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

struct LooseRows {
  Partition partition;  ///< by which the rows were made
  Array<Offset> begin, end;
  Array<LocalIndex> column;
  Array<double> value;
  LocalIndex owned_columns = 0;
  std::vector<GlobalIndex> ghosts;
  bool ordered = false;  ///< entries of each row by column, and there are no ghosts
};

/// Rows to read: those of a CSR matrix or loose ones.
struct RowsView {
  const Offset* begin;
  const Offset* end;
  const LocalIndex* column;
  const double* value;
  LocalIndex columns;
};

/// The rows of `left` times the matrix with rows `right`, of which local column k of left is row k.
LooseRows multiply_rows(const Context& context, const Csr<double>& left, const RowsView& right);

/// The rows of left times middle times the matrix with rows `right`, on one rank.
LooseRows triple_rows(const Context& context, const Csr<double>& left, const Csr<double>& middle,
                      const RowsView& right);

/// Appends to the own rows of a matrix, or of a product with `own` rows, the rows that `halo` names of other
/// ranks. Collective.
LooseRows with_ghost_rows(const Context& context, const RowsView& rows, LocalIndex own,
                          LocalIndex owned_columns, const std::vector<GlobalIndex>& ghosts,
                          const Distribution& columns, const Halo& halo);

/// Orders the entries of each row and closes the gaps, all in place. Collective.
DistributedMatrix pack(const Context& context, LooseRows rows, const Distribution& row_distribution,
                       const Distribution& column_distribution);

}  // namespace taihu::amg
