// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "taihu/amg/matrix/assemble.h"
#include "taihu/amg/matrix/loose_rows.h"

namespace taihu::amg {
namespace {

// Orders the entries of a row by key(column): insertion, as rows are short and often nearly in order.
template <class Key>
void order_row(LocalIndex* column, double* value, LocalIndex length, const Key& key) {
  for (LocalIndex k = 1; k < length; ++k) {
    const LocalIndex c = column[k];
    const double v = value[k];
    const auto order = key(c);
    LocalIndex at = k;
    for (; at > 0 && key(column[at - 1]) > order; --at) {
      column[at] = column[at - 1];
      value[at] = value[at - 1];
    }
    column[at] = c;
    value[at] = v;
  }
}

void order_rows(const Context& context, LooseRows& rows, const DistributedMatrix& matrix) {
  const bool ghosts = !rows.ghosts.empty();
  context.team.run(rows.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      LocalIndex* column = rows.column.data() + rows.begin[i];
      double* value = rows.value.data() + rows.begin[i];
      const auto length = static_cast<LocalIndex>(rows.end[i] - rows.begin[i]);
      if (ghosts)
        order_row(column, value, length, [&](LocalIndex j) { return matrix.global_column(j); });
      else
        order_row(column, value, length, [](LocalIndex j) { return j; });
    }
  });
}

// Moves the part of each thread down to the end of the one before and gives back the room behind.
void close_gaps(LooseRows& rows, const Array<Offset>& starts) {
  for (int part = 1; part < rows.partition.parts(); ++part) {
    const LocalIndex first = rows.partition.begin(part), last = rows.partition.end(part);
    if (first == last) continue;
    const Offset from = rows.begin[first], to = starts[first];
    const auto count = static_cast<std::size_t>(starts[last] - to);
    std::memmove(rows.column.data() + to, rows.column.data() + from, count * sizeof(LocalIndex));
    std::memmove(rows.value.data() + to, rows.value.data() + from, count * sizeof(double));
  }
  rows.column.shorten(starts[starts.size() - 1]);
  rows.value.shorten(starts[starts.size() - 1]);
}

}  // namespace

DistributedMatrix pack(const Context& context, LooseRows rows, const Distribution& row_distribution,
                       const Distribution& column_distribution) {
  DistributedMatrix matrix = matrix_frame(context, row_distribution, column_distribution, rows.ghosts);
  Csr<double>& local = matrix.local;
  if (!rows.ordered) order_rows(context, rows, matrix);
  local.starts = Array<Offset>(context.storage, static_cast<std::size_t>(local.rows) + 1);
  local.starts[0] = 0;
  for (LocalIndex i = 0; i < local.rows; ++i)
    local.starts[i + 1] = local.starts[i] + rows.end[i] - rows.begin[i];
  local.partition = Partition::by_work(local.starts, context.team.size());
  close_gaps(rows, local.starts);
  local.column = std::move(rows.column);
  local.value = std::move(rows.value);
  if constexpr (contracts_checked) matrix.check_invariants(context.communicator.rank());
  return matrix;
}

}  // namespace taihu::amg
