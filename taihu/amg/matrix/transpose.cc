// SPDX-License-Identifier: Apache-2.0
// Inside a rank each thread counts the columns of its rows, prefix sums over columns and threads give every
// entry its place, and rows of the result come out in ascending order. Entries in ghost columns travel to the
// owner of the column.
#include "taihu/amg/matrix/transpose.h"

#include "taihu/parallel/bytes.h"

namespace taihu::amg {
namespace {

struct PlacedEntry {
  GlobalIndex row;     // of the result
  GlobalIndex column;  // of the result
  double value;
};

// Entries of the result that other ranks have, those of lower ranks first.
std::vector<std::vector<PlacedEntry>> exchange_entries(const Context& context,
                                                       const DistributedMatrix& matrix) {
  parallel::Communicator& communicator = context.communicator;
  std::vector<std::vector<PlacedEntry>> outgoing(communicator.size());
  const LocalIndex owned = matrix.owned_columns();
  for (LocalIndex i = 0; i < matrix.local.rows; ++i)
    for (Offset k = matrix.local.starts[i]; k < matrix.local.starts[i + 1]; ++k) {
      const LocalIndex j = matrix.local.column[k];
      if (j < owned) continue;
      const GlobalIndex global = matrix.ghosts[j - owned];
      outgoing[matrix.column_distribution.owner(global)].push_back(
          {global, matrix.first_row + i, matrix.local.value[k]});
    }
  std::vector<parallel::Bytes> packed;
  for (const auto& list : outgoing) packed.push_back(parallel::to_bytes(list));
  std::vector<std::vector<PlacedEntry>> incoming;
  for (const auto& bytes : communicator.all_to_all(packed))
    incoming.push_back(parallel::from_bytes<PlacedEntry>(bytes));
  return incoming;
}

// The transpose of the own columns of the local rows.
Csr<double> transpose_local(const Context& context, const DistributedMatrix& matrix) {
  const Csr<double>& local = matrix.local;
  const int threads = context.team.size();
  const LocalIndex owned = matrix.owned_columns();
  std::vector<Array<LocalIndex>> place;
  for (int thread = 0; thread < threads; ++thread) place.emplace_back(context.storage, owned);
  context.team.run([&](int thread) {
    std::fill(place[thread].begin(), place[thread].end(), 0);
    for (LocalIndex i = local.partition.begin(thread); i < local.partition.end(thread); ++i)
      for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k)
        if (local.column[k] < owned) ++place[thread][local.column[k]];
  });
  Array<Offset> starts(context.storage, static_cast<std::size_t>(owned) + 1);
  starts[0] = 0;
  for (LocalIndex j = 0; j < owned; ++j) {
    LocalIndex count = 0;
    for (int thread = 0; thread < threads; ++thread) {
      const LocalIndex mine = place[thread][j];
      place[thread][j] = count;
      count += mine;
    }
    starts[j + 1] = starts[j] + count;
  }
  Csr<double> result =
      csr_with_starts<double>(context.storage, threads, owned, local.rows, std::move(starts));
  context.team.run([&](int thread) {
    for (LocalIndex i = local.partition.begin(thread); i < local.partition.end(thread); ++i)
      for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k) {
        const LocalIndex j = local.column[k];
        if (j >= owned) continue;
        const Offset at = result.starts[j] + place[thread][j]++;
        result.column[at] = i;
        result.value[at] = local.value[k];
      }
  });
  return result;
}

// Merges the entries of other ranks with the local ones. Columns ascend because the ranks do.
GlobalRows merge(const Context& context, const Csr<double>& local, GlobalIndex first_column,
                 GlobalIndex first_row, const std::vector<std::vector<PlacedEntry>>& incoming) {
  GlobalRows rows;
  rows.starts = Array<Offset>(context.storage, static_cast<std::size_t>(local.rows) + 1);
  for (LocalIndex i = 0; i < local.rows; ++i) rows.starts[i + 1] = local.starts[i + 1] - local.starts[i];
  for (const auto& list : incoming)
    for (const PlacedEntry& entry : list) ++rows.starts[entry.row - first_row + 1];
  rows.starts[0] = 0;
  for (LocalIndex i = 0; i < local.rows; ++i) rows.starts[i + 1] += rows.starts[i];
  rows.column = Array<GlobalIndex>(context.storage, rows.starts[local.rows]);
  rows.value = Array<double>(context.storage, rows.starts[local.rows]);
  std::vector<Offset> at(rows.starts.begin(), rows.starts.end());
  const auto put = [&](LocalIndex row, GlobalIndex column, double value) {
    rows.column[at[row]] = column;
    rows.value[at[row]++] = value;
  };
  for (std::size_t rank = 0; rank < incoming.size(); ++rank) {
    if (static_cast<int>(rank) == context.communicator.rank())
      for (LocalIndex i = 0; i < local.rows; ++i)
        for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k)
          put(i, first_column + local.column[k], local.value[k]);
    for (const PlacedEntry& entry : incoming[rank])
      put(static_cast<LocalIndex>(entry.row - first_row), entry.column, entry.value);
  }
  return rows;
}

}  // namespace

DistributedMatrix transpose(const Context& context, const DistributedMatrix& matrix) {
  Csr<double> local = transpose_local(context, matrix);
  if (context.communicator.size() > 1) {
    const auto incoming = exchange_entries(context, matrix);
    return distribute(context, matrix.column_distribution, matrix.row_distribution,
                      merge(context, local, matrix.first_row, matrix.first_column, incoming));
  }
  DistributedMatrix result;
  result.local = std::move(local);
  result.row_distribution = matrix.column_distribution;
  result.column_distribution = matrix.row_distribution;
  return result;
}

}  // namespace taihu::amg
