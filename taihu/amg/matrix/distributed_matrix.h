// SPDX-License-Identifier: Apache-2.0
// A sparse matrix whose rows are distributed over the ranks.
// Each rank has its rows in one CSR matrix with 32-bit local columns: 0 .. owned_columns() are the columns
// that the rank owns itself (the diagonal block), those from there on are ghosts (the off-diagonal block),
// ghost k being the global column ghosts[k]. Entries of a row are in ascending order of their *global*
// columns: sums over a row are then the same bits for any distribution.
#pragma once

#include <vector>

#include "taihu/amg/matrix/csr.h"
#include "taihu/amg/matrix/distribution.h"
#include "taihu/amg/matrix/halo.h"
#include "taihu/amg/parallel/context.h"

namespace taihu::amg {

struct DistributedMatrix {
  Csr<double> local;
  Distribution row_distribution;
  Distribution column_distribution;
  std::vector<GlobalIndex> ghosts;  ///< ascending
  Halo halo;                        ///< for vectors that the matrix is multiplied with
  GlobalIndex first_row = 0;        ///< own ones begin here
  GlobalIndex first_column = 0;

  LocalIndex owned_columns() const { return local.columns - static_cast<LocalIndex>(ghosts.size()); }
  GlobalIndex global_column(LocalIndex column) const {
    const LocalIndex owned = owned_columns();
    return column < owned ? first_column + column : ghosts[column - owned];
  }
  GlobalIndex rows() const { return row_distribution.rows(); }

  /// The equations of this rank's share, `rank` being its number (distributed_matrix_check.cc). Contract
  /// builds check them where a matrix is made.
  void check_invariants(int rank) const;
};

/// Own rows with global columns: entries of row i are starts[i] .. starts[i + 1], in any order.
struct GlobalRows {
  Array<Offset> starts;
  Array<GlobalIndex> column;
  Array<double> value;
};

/// The matrix with these own rows: finds the ghosts, renumbers, orders the entries of each row, adds up
/// repeated ones. Collective. Throws Error for a column outside of the distribution.
DistributedMatrix distribute(const Context& context, const Distribution& rows, const Distribution& columns,
                             GlobalRows own_rows);

/// Sum of the entries of all ranks. Collective.
GlobalIndex global_entries(parallel::Communicator& communicator, const DistributedMatrix& matrix);

}  // namespace taihu::amg
