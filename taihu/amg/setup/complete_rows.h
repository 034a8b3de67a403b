// SPDX-License-Identifier: Apache-2.0
// The rows of a square matrix that classical set-up looks at on one rank: its own and, behind them, complete
// copies of the rows of its ghosts, with the strong entries marked. The columns of these rows are own ones
// and an extended list of ghosts, up to two steps away. Entries of a row are in ascending order of global
// columns.
#pragma once

#include "taihu/amg/matrix/loose_rows.h"

namespace taihu::amg {

/// Strong entries of classical multigrid: row i depends on j when -a_ij is more than `threshold` times the
/// largest -a_ik (for a positive diagonal). Rows whose sum is nearly their diagonal depend on none.
class CompleteRows {
 public:
  /// The result may refer to the matrix. Collective.
  CompleteRows(const Context& context, const DistributedMatrix& matrix, double threshold);

  /// Whether a_ji is an entry wherever a_ij is. If not, influences() lacks the entries without a counterpart:
  /// start again with with_symmetric_pattern().
  bool symmetric_pattern() const { return symmetric_pattern_; }
  LocalIndex own() const { return own_; }
  LocalIndex rows() const { return static_cast<LocalIndex>(column_of_row_.size()); }
  LocalIndex columns() const { return rows_.columns; }
  const Partition& partition() const { return partition_; }
  const RowsView& view() const { return rows_; }
  double diagonal(LocalIndex row) const { return diagonal_[row]; }
  /// Whether the row of entry k depends on its column; for all rows.
  bool depends(Offset k) const { return depends_[k] != 0; }
  /// Whether the column of entry k depends on its row; for own rows.
  bool influences(Offset k) const { return influences_[k] != 0; }
  bool strong(Offset k) const { return depends(k) || influences(k); }
  /// The row with the number of a column, -1 for ghosts at distance two.
  LocalIndex row_of_column(LocalIndex column) const {
    return column < own_ ? column : row_of_ghost_[column - own_];
  }
  GlobalIndex global(LocalIndex column) const {
    return column < own_ ? first_ + column : ghosts_[column - own_];
  }
  GlobalIndex first() const { return first_; }

  /// Fills the ghosts of a vector with columns() elements. Collective.
  template <class T>
  void exchange(const Context& context, Array<T>& vector) {
    halo_.exchange(context.communicator, vector.data(), own_);
  }
  /// Parts of an array with one element per column.
  std::vector<std::size_t> column_parts() const { return part_ends(partition_, 1, columns() - own_); }

 private:
  void take_rows(const Context& context, const DistributedMatrix& matrix);
  void mark_dependencies(const Context& context, double threshold);
  void mark_row(LocalIndex row, double threshold);
  void mark_influences(const Context& context);
  template <class Body>
  void each_row(const Context& context, const Body& body);

  LocalIndex own_;
  GlobalIndex first_;
  Partition partition_;
  RowsView rows_;
  LooseRows copies_;  // where there are several ranks
  std::vector<GlobalIndex> ghosts_;
  Halo halo_;
  std::vector<LocalIndex> row_of_ghost_;
  Array<LocalIndex> column_of_row_;
  Array<double> diagonal_;
  Array<unsigned char> depends_, influences_;
  bool symmetric_pattern_ = true;
};

/// The matrix with zeros added where a_ji is an entry and a_ij is not. Collective.
DistributedMatrix with_symmetric_pattern(const Context& context, const DistributedMatrix& matrix);

}  // namespace taihu::amg
