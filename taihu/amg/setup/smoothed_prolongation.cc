// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/smoothed_prolongation.h"

#include <algorithm>
#include <cmath>

#include "taihu/amg/matrix/loose_rows.h"

namespace taihu::amg {
namespace {

// Local columns of the prolongation for the aggregate of each own row and ghost of the matrix; -1 without
// one.
struct CoarseColumns {
  Array<LocalIndex> of_row;
  std::vector<GlobalIndex> ghosts;
};

CoarseColumns coarse_columns(const Context& context, const DistributedMatrix& matrix,
                             const Aggregates& aggregates) {
  const int rank = context.communicator.rank();
  const GlobalIndex first = aggregates.distribution.begin(rank), last = aggregates.distribution.end(rank);
  CoarseColumns result;
  const auto own = [&](GlobalIndex aggregate) { return aggregate >= first && aggregate < last; };
  if (context.communicator.size() > 1) {
    for (const GlobalIndex aggregate : aggregates.of_row)
      if (aggregate >= 0 && !own(aggregate)) result.ghosts.push_back(aggregate);
    std::sort(result.ghosts.begin(), result.ghosts.end());
    result.ghosts.erase(std::unique(result.ghosts.begin(), result.ghosts.end()), result.ghosts.end());
  }
  result.of_row =
      Array<LocalIndex>(context.storage, part_ends(matrix.local.partition, 1, matrix.ghosts.size()));
  const auto local = [&](GlobalIndex aggregate) -> LocalIndex {
    if (aggregate < 0) return -1;
    if (own(aggregate)) return static_cast<LocalIndex>(aggregate - first);
    return static_cast<LocalIndex>(
        last - first +
        (std::lower_bound(result.ghosts.begin(), result.ghosts.end(), aggregate) - result.ghosts.begin()));
  };
  context.team.run(matrix.local.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) result.of_row[i] = local(aggregates.of_row[i]);
  });
  for (LocalIndex i = matrix.local.rows; i < matrix.local.columns; ++i)
    result.of_row[i] = local(aggregates.of_row[i]);
  return result;
}

// The diagonal of the filtered matrix and its damping.
struct FilteredRow {
  double diagonal, damping;
};

FilteredRow filtered_row(const Csr<double>& matrix, const StrengthGraph& graph, LocalIndex i, double omega) {
  double diagonal = 0, strong = 0, absolute = 0;
  for (Offset k = graph.starts[i]; k < graph.starts[i + 1]; ++k) {
    if (graph.column[k] == i) {
      diagonal += graph.value[k];
    } else {
      strong += graph.value[k];
      absolute += std::abs(graph.value[k]);
    }
  }
  if (graph.starts[i + 1] - graph.starts[i] != matrix.starts[i + 1] - matrix.starts[i]) {
    double all = 0;
    for (Offset k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k)
      if (matrix.column[k] != i) all += matrix.value[k];
    diagonal += all - strong;
  }
  if (diagonal == 0) return {0, 0};
  const double bound = 2 * omega / (absolute + std::abs(diagonal));
  return {diagonal, std::copysign(std::min(omega / std::abs(diagonal), bound), diagonal)};
}

}  // namespace

DistributedMatrix smoothed_prolongation(const Context& context, const DistributedMatrix& matrix,
                                        const StrengthGraph& graph, const Aggregates& aggregates,
                                        double omega) {
  const CoarseColumns coarse = coarse_columns(context, matrix, aggregates);
  const int rank = context.communicator.rank();
  LooseRows rows;
  rows.partition = graph.partition;
  rows.owned_columns =
      static_cast<LocalIndex>(aggregates.distribution.end(rank) - aggregates.distribution.begin(rank));
  rows.ghosts = coarse.ghosts;
  rows.begin = Array<Offset>(context.storage, part_ends(graph.partition));
  rows.end = Array<Offset>(context.storage, part_ends(graph.partition));
  rows.column = Array<LocalIndex>(context.storage, part_ends(graph.partition, graph.starts));
  rows.value = Array<double>(context.storage, part_ends(graph.partition, graph.starts));
  context.team.run(graph.partition, [&](LocalIndex begin, LocalIndex end, int) {
    Offset at = graph.starts[begin];
    for (LocalIndex i = begin; i < end; ++i) {
      const Offset first = rows.begin[i] = at;
      const bool isolated = coarse.of_row[i] < 0;
      const FilteredRow filtered = filtered_row(matrix.local, graph, i, omega);
      for (Offset k = graph.starts[i]; k < graph.starts[i + 1] && !isolated; ++k) {
        const LocalIndex j = graph.column[k], column = coarse.of_row[j];
        if (column < 0) continue;
        const double value =
            j == i ? 1 - filtered.damping * filtered.diagonal : -filtered.damping * graph.value[k];
        Offset place = first;
        while (place < at && rows.column[place] != column) ++place;
        if (place == at) {
          rows.column[at] = column;
          rows.value[at++] = value;
        } else {
          rows.value[place] += value;
        }
      }
      rows.end[i] = at;
    }
  });
  return pack(context, std::move(rows), matrix.row_distribution, aggregates.distribution);
}

}  // namespace taihu::amg
