// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/distributed_matrix.h"

#include <algorithm>

#include "taihu/amg/matrix/assemble.h"
#include "taihu/amg/parallel/huge_pages.h"
#include "taihu/base/contract.h"
#include "taihu/base/error.h"

namespace taihu::amg {
namespace {

// Sorts the entries of each row and adds up repeated columns; the new length of row i goes to length[i].
void order_rows(const Context& context, const Partition& partition, GlobalRows& rows, Offset* length) {
  context.team.run(partition, [&](LocalIndex begin, LocalIndex end, int) {
    std::vector<std::pair<GlobalIndex, double>> row;
    for (LocalIndex i = begin; i < end; ++i) {
      const Offset first = rows.starts[i], last = rows.starts[i + 1];
      const GlobalIndex* column = rows.column.data();
      length[i] = last - first;
      if (std::adjacent_find(column + first, column + last, std::greater_equal<>()) == column + last)
        continue;
      row.clear();
      for (Offset k = first; k < last; ++k) row.emplace_back(rows.column[k], rows.value[k]);
      std::stable_sort(row.begin(), row.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      Offset out = first;
      for (const auto& [global, value] : row) {
        if (out > first && rows.column[out - 1] == global) {
          rows.value[out - 1] += value;
        } else {
          rows.column[out] = global;
          rows.value[out++] = value;
        }
      }
      length[i] = out - first;
    }
  });
}

std::vector<GlobalIndex> find_ghosts(const Context& context, const Partition& partition,
                                     const GlobalRows& rows, const Offset* length, GlobalIndex first,
                                     GlobalIndex last) {
  std::vector<std::vector<GlobalIndex>> found(context.team.size());
  context.team.run(partition, [&](LocalIndex begin, LocalIndex end, int thread) {
    for (LocalIndex i = begin; i < end; ++i)
      for (Offset k = rows.starts[i]; k < rows.starts[i] + length[i]; ++k)
        if (rows.column[k] < first || rows.column[k] >= last) found[thread].push_back(rows.column[k]);
  });
  return merged(found);
}

// Closes the gaps that repeated columns left, so that row i has length[i] entries.
void close_gaps(GlobalRows& rows, const Array<Offset>& length) {
  const auto count = static_cast<LocalIndex>(rows.starts.size()) - 1;
  bool gaps = false;
  for (LocalIndex i = 0; i < count; ++i) gaps |= length[i] != rows.starts[i + 1] - rows.starts[i];
  if (!gaps) return;
  Offset out = 0;
  for (LocalIndex i = 0; i < count; ++i) {
    const Offset first = rows.starts[i];
    rows.starts[i] = out;
    for (Offset k = first; k < first + length[i]; ++k, ++out) {
      rows.column[out] = rows.column[k];
      rows.value[out] = rows.value[k];
    }
  }
  rows.starts[count] = out;
  rows.value.shorten(static_cast<std::size_t>(out));
}

}  // namespace

DistributedMatrix matrix_frame(const Context& context, const Distribution& rows, const Distribution& columns,
                               std::vector<GlobalIndex> ghosts) {
  const int rank = context.communicator.rank();
  DistributedMatrix matrix;
  matrix.row_distribution = rows;
  matrix.column_distribution = columns;
  matrix.first_row = rows.begin(rank);
  matrix.first_column = columns.begin(rank);
  matrix.ghosts = std::move(ghosts);
  check_input(matrix.ghosts.empty() || (matrix.ghosts.front() >= 0 && matrix.ghosts.back() < columns.rows()),
              "a column index is outside of the matrix");
  matrix.halo = Halo(context.communicator, columns, matrix.ghosts);
  matrix.local.rows = static_cast<LocalIndex>(rows.end(rank) - matrix.first_row);
  matrix.local.columns = static_cast<LocalIndex>(columns.end(rank) - matrix.first_column) +
                         static_cast<LocalIndex>(matrix.ghosts.size());
  return matrix;
}

// Starts and values become those of the matrix where they are: a large matrix is not held twice.
DistributedMatrix distribute(const Context& context, const Distribution& row_distribution,
                             const Distribution& column_distribution, GlobalRows rows) {
  const int rank = context.communicator.rank();
  const Partition partition = Partition::by_work(rows.starts, context.team.size());
  Array<Offset> length(context.storage, part_ends(partition, 1, 1));
  order_rows(context, partition, rows, length.data());
  DistributedMatrix matrix =
      matrix_frame(context, row_distribution, column_distribution,
                   find_ghosts(context, partition, rows, length.data(), column_distribution.begin(rank),
                               column_distribution.end(rank)));
  close_gaps(rows, length);
  Csr<double>& local = matrix.local;
  local.starts = std::move(rows.starts);
  local.value = std::move(rows.value);
  local.partition = Partition::by_work(local.starts, context.team.size());
  local.column = Array<LocalIndex>(context.storage, part_ends(local.partition, local.starts));
  ask_for_huge_pages(local.column);
  const LocalIndex owned = matrix.owned_columns();
  context.team.run(local.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (Offset k = local.starts[begin]; k < local.starts[end]; ++k)
      local.column[k] = local_column(matrix, owned, rows.column[k]);
  });
  if constexpr (contracts_checked) matrix.check_invariants(rank);
  return matrix;
}

GlobalIndex global_entries(parallel::Communicator& communicator, const DistributedMatrix& matrix) {
  std::int64_t entries = matrix.local.entries();
  communicator.sum({&entries, 1});
  return entries;
}

}  // namespace taihu::amg
