// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/strength.h"

#include "taihu/amg/matrix/diagonal.h"

namespace taihu::amg {
namespace {

template <class Function>
void for_all(const Context& context, Array<double>& values, const Csr<double>& matrix,
             const Function& function) {
  context.team.run(matrix.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) values[i] = function(values[i]);
  });
  for (LocalIndex i = matrix.rows; i < matrix.columns; ++i) values[i] = function(values[i]);
}

}  // namespace

StrengthGraph symmetric_strength(const Context& context, DistributedMatrix& matrix, double threshold) {
  Array<double> inverse = largest_coupling(context, matrix);  // own rows and ghosts
  for_all(context, inverse, matrix.local, [](double largest) { return 1 / largest; });
  Csr<double>& local = matrix.local;
  const double square = threshold * threshold;
  const auto strong = [&](LocalIndex i, Offset k) {
    const LocalIndex j = local.column[k];
    // Two factors of about one: products of the values themselves may overflow.
    return j == i || local.value[k] * inverse[i] * (local.value[k] * inverse[j]) > square;
  };
  StrengthGraph graph;
  graph.rows = local.rows;
  graph.partition = local.partition;
  Array<Offset> starts(context.storage, part_ends(local.partition, 1, 1));
  context.team.run(local.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      Offset count = 0;
      for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k) count += strong(i, k);
      starts[i + 1] = count;
    }
  });
  starts[0] = 0;
  for (LocalIndex i = 0; i < local.rows; ++i) starts[i + 1] += starts[i];
  if (starts[local.rows] == local.entries()) {
    graph.starts = Array<Offset>::borrow(local.starts.data(), local.starts.size());
    graph.column = Array<LocalIndex>::borrow(local.column.data(), local.column.size());
    graph.value = Array<double>::borrow(local.value.data(), local.value.size());
    return graph;
  }
  graph.starts = std::move(starts);
  graph.column = Array<LocalIndex>(context.storage, part_ends(graph.partition, graph.starts));
  graph.value = Array<double>(context.storage, part_ends(graph.partition, graph.starts));
  context.team.run(graph.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      Offset out = graph.starts[i];
      for (Offset k = local.starts[i]; k < local.starts[i + 1]; ++k) {
        if (!strong(i, k)) continue;
        graph.column[out] = local.column[k];
        graph.value[out++] = local.value[k];
      }
    }
  });
  return graph;
}

}  // namespace taihu::amg
