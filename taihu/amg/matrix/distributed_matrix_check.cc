// SPDX-License-Identifier: Apache-2.0
// A distributed matrix looks at itself: its share of the rows, the order of their entries, and its
// communication plan. In builds without contracts nothing here does anything.
#include <algorithm>

#include "taihu/amg/matrix/distributed_matrix.h"
#include "taihu/base/contract.h"

namespace taihu::amg {
namespace {

/// starts[0] == 0, starts never fall, starts[rows] == entries; the global columns of a row grow, and local
/// column < columns.
void check_entries(const DistributedMatrix& matrix) {
  const Csr<double>& local = matrix.local;
  if (!local.has_entries()) return ensure(local.column.empty() && local.value.empty(), "no rows, no entries");
  ensure(static_cast<LocalIndex>(local.starts.size()) == local.rows + 1 && local.starts[0] == 0,
         "one start for each row and one behind them, from 0 on");
  ensure(local.starts[local.rows] <= static_cast<Offset>(local.column.size()) &&
             local.starts[local.rows] <= static_cast<Offset>(local.value.size()),
         "entries <= columns and values held");
  for (LocalIndex i = 0; i < local.rows; ++i) {
    ensure(local.starts[i] <= local.starts[i + 1], "starts never fall");
    for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k) {
      ensure(0 <= local.column[k] && local.column[k] < local.columns, "0 <= local column < columns");
      ensure(k == local.starts[i] ||
                 matrix.global_column(local.column[k - 1]) < matrix.global_column(local.column[k]),
             "global columns of a row grow");
    }
  }
}

/// The parts to receive tile the ghosts, each owned by its peer; the parts to send tile the rows to send,
/// which are own columns.
void check_plan(const DistributedMatrix& matrix, int rank) {
  const auto tiles = [&](const std::vector<Halo::Part>& parts, std::size_t count) {
    LocalIndex end = 0;
    int peer = -1;
    for (const Halo::Part& part : parts) {
      ensure(part.peer > peer && part.peer != rank, "peers grow, and are others");
      ensure(part.begin == end && part.count > 0, "where the part of a peer ends that of the next begins");
      peer = part.peer;
      end += part.count;
    }
    ensure(static_cast<std::size_t>(end) == count, "parts of all peers == what is sent or received");
  };
  const Halo& halo = matrix.halo;
  ensure(static_cast<std::size_t>(halo.ghosts()) == matrix.ghosts.size(), "ghosts of the plan == ghosts");
  tiles(halo.receives(), matrix.ghosts.size());
  tiles(halo.sends(), halo.send_rows().size());
  for (const Halo::Part& part : halo.receives())
    for (LocalIndex k = part.begin; k < part.begin + part.count; ++k)
      ensure(matrix.column_distribution.owner(matrix.ghosts[k]) == part.peer,
             "owner of a ghost == peer that it comes from");
  for (const LocalIndex row : halo.send_rows())
    ensure(0 <= row && row < matrix.owned_columns(), "what is sent is own");
}

}  // namespace

/// first row + rows == first row of the next rank, columns == own ones + ghosts, ghosts grow and are others',
/// and what check_entries and check_plan say.
void DistributedMatrix::check_invariants(int rank) const {
  ensure(first_row == row_distribution.begin(rank) && first_row + local.rows == row_distribution.end(rank),
         "own rows == those of the distribution");
  ensure(first_column == column_distribution.begin(rank) &&
             first_column + owned_columns() == column_distribution.end(rank),
         "own columns == those of the distribution");
  ensure(local.partition.rows() == local.rows, "rows of the partition == rows");
  for (std::size_t k = 0; k < ghosts.size(); ++k) {
    ensure(k == 0 || ghosts[k - 1] < ghosts[k], "ghosts grow");
    ensure(0 <= ghosts[k] && ghosts[k] < column_distribution.rows() &&
               (ghosts[k] < first_column || ghosts[k] >= first_column + owned_columns()),
           "a ghost is a column of another rank");
  }
  check_plan(*this, rank);
  check_entries(*this);
}

}  // namespace taihu::amg
