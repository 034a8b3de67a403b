// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/distributed_matrix.h"

#include <algorithm>

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
  std::vector<GlobalIndex> ghosts;
  for (const auto& list : found) ghosts.insert(ghosts.end(), list.begin(), list.end());
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  return ghosts;
}

}  // namespace

DistributedMatrix distribute(const Context& context, const Distribution& row_distribution,
                             const Distribution& column_distribution, GlobalRows rows) {
  const int rank = context.communicator.rank();
  const auto count = static_cast<LocalIndex>(row_distribution.end(rank) - row_distribution.begin(rank));
  const Partition partition = Partition::by_work(rows.starts, context.team.size());
  Array<Offset> length(context.storage, part_ends(partition, 1, 1));
  order_rows(context, partition, rows, length.data());

  DistributedMatrix matrix;
  matrix.row_distribution = row_distribution;
  matrix.column_distribution = column_distribution;
  matrix.first_row = row_distribution.begin(rank);
  matrix.first_column = column_distribution.begin(rank);
  const GlobalIndex last_column = column_distribution.end(rank);
  const auto owned = static_cast<LocalIndex>(last_column - matrix.first_column);
  matrix.ghosts = find_ghosts(context, partition, rows, length.data(), matrix.first_column, last_column);
  check_input(matrix.ghosts.empty() ||
                  (matrix.ghosts.front() >= 0 && matrix.ghosts.back() < column_distribution.rows()),
              "a column index is outside of the matrix");
  matrix.halo = Halo(context.communicator, column_distribution, matrix.ghosts);

  Array<Offset> starts(context.storage, part_ends(partition, 1, 1));
  starts[0] = 0;
  for (LocalIndex i = 0; i < count; ++i) starts[i + 1] = starts[i] + length[i];
  matrix.local =
      csr_with_starts<double>(context.storage, context.team.size(), count,
                              owned + static_cast<LocalIndex>(matrix.ghosts.size()), std::move(starts));
  context.team.run(matrix.local.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      Offset out = matrix.local.starts[i];
      for (Offset k = rows.starts[i]; k < rows.starts[i] + length[i]; ++k, ++out) {
        const GlobalIndex global = rows.column[k];
        const bool own = global >= matrix.first_column && global < last_column;
        matrix.local.column[out] =
            own ? static_cast<LocalIndex>(global - matrix.first_column)
                : owned + static_cast<LocalIndex>(
                              std::lower_bound(matrix.ghosts.begin(), matrix.ghosts.end(), global) -
                              matrix.ghosts.begin());
        matrix.local.value[out] = rows.value[k];
      }
    }
  });
  return matrix;
}

GlobalIndex global_entries(Communicator& communicator, const DistributedMatrix& matrix) {
  std::int64_t entries = matrix.local.entries();
  communicator.sum({&entries, 1});
  return entries;
}

}  // namespace taihu::amg
