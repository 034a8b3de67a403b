// SPDX-License-Identifier: Apache-2.0
// Matrices for tests: plain lists of entries, known to every rank, and the distributed matrix made of them.
#pragma once

#include <map>
#include <random>

#include "taihu/amg/matrix/distributed_matrix.h"

namespace taihu::amg {

/// Entries by (row, column).
struct PlainMatrix {
  GlobalIndex rows = 0, columns = 0;
  std::map<std::pair<GlobalIndex, GlobalIndex>, double> entries;

  std::vector<double> times(const std::vector<double>& x) const {
    std::vector<double> y(rows);
    for (const auto& [place, value] : entries) y[place.first] += value * x[place.second];
    return y;
  }
};

inline PlainMatrix random_matrix(GlobalIndex rows, GlobalIndex columns, double entries_per_row,
                                 unsigned seed) {
  std::mt19937 random(seed);
  PlainMatrix matrix{rows, columns, {}};
  if (rows == 0 || columns == 0) return matrix;
  const auto count = static_cast<std::int64_t>(entries_per_row * static_cast<double>(rows));
  for (std::int64_t k = 0; k < count; ++k)
    matrix.entries[{random() % rows, random() % columns}] = static_cast<double>(random() % 2001) / 1000 - 1;
  return matrix;
}

/// The own rows of this rank with the given distributions.
inline DistributedMatrix distributed(const Context& context, const PlainMatrix& matrix,
                                     const Distribution& rows, const Distribution& columns) {
  const GlobalIndex first = rows.begin(context.communicator.rank()),
                    last = rows.end(context.communicator.rank());
  std::vector<Offset> starts(last - first + 1);
  std::vector<GlobalIndex> column;
  std::vector<double> value;
  for (const auto& [place, entry] : matrix.entries) {
    if (place.first < first || place.first >= last) continue;
    ++starts[place.first - first + 1];
    column.push_back(place.second);
    value.push_back(entry);
  }
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  GlobalRows own;
  own.starts = Array<Offset>(context.storage, starts.size());
  own.column = Array<GlobalIndex>(context.storage, column.size());
  own.value = Array<double>(context.storage, value.size());
  std::copy(starts.begin(), starts.end(), own.starts.begin());
  std::copy(column.begin(), column.end(), own.column.begin());
  std::copy(value.begin(), value.end(), own.value.begin());
  return distribute(context, rows, columns, std::move(own));
}

/// Rows split in equal shares, not in blocks: small matrices are on all ranks too.
inline Distribution spread(GlobalIndex rows, int ranks) {
  std::vector<GlobalIndex> counts;
  for (int rank = 0; rank < ranks; ++rank) counts.push_back(rows * (rank + 1) / ranks - rows * rank / ranks);
  return Distribution(counts);
}

/// The entries that this rank has.
inline PlainMatrix plain(const DistributedMatrix& matrix) {
  PlainMatrix result{matrix.rows(), matrix.column_distribution.rows(), {}};
  for (LocalIndex i = 0; i < matrix.local.rows; ++i)
    for (Offset k = matrix.local.starts[i]; k < matrix.local.starts[i + 1]; ++k)
      result.entries[{matrix.first_row + i, matrix.global_column(matrix.local.column[k])}] =
          matrix.local.value[k];
  return result;
}

}  // namespace taihu::amg
