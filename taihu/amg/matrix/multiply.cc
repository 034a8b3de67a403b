// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/multiply.h"

#include "taihu/amg/matrix/loose_rows.h"

namespace taihu::amg {
namespace {

RowsView view(const Csr<double>& matrix) {
  return {matrix.starts.data(), matrix.starts.data() + 1, matrix.column.data(), matrix.value.data(), matrix.columns};
}

RowsView view(const LooseRows& rows) {
  return {rows.begin.data(), rows.end.data(), rows.column.data(), rows.value.data(),
          rows.owned_columns + static_cast<LocalIndex>(rows.ghosts.size())};
}

// Left times right, where right has `own` rows on this rank.
LooseRows multiply_loose(const Context& context, const DistributedMatrix& left, const RowsView& right, LocalIndex own,
                         LocalIndex owned_columns, const std::vector<GlobalIndex>& ghosts, const Distribution& columns) {
  LooseRows product;
  if (context.communicator.size() == 1) {
    product = multiply_rows(context, left.local, right);
    product.owned_columns = owned_columns;
    return product;
  }
  const LooseRows complete = with_ghost_rows(context, right, own, owned_columns, ghosts, columns, left.halo);
  product = multiply_rows(context, left.local, view(complete));
  product.owned_columns = owned_columns;
  product.ghosts = complete.ghosts;
  return product;
}

LooseRows multiply_loose(const Context& context, const DistributedMatrix& left, const DistributedMatrix& right) {
  return multiply_loose(context, left, view(right.local), right.local.rows, right.owned_columns(), right.ghosts,
                        right.column_distribution);
}

// Copies a row so that its global columns ascend. `key` gives the order of local columns.
template <class Key>
void copy_ordered(const LooseRows& rows, LocalIndex row, const Key& key, LocalIndex* column, double* value) {
  Offset length = 0;
  for (Offset k = rows.begin[row]; k < rows.end[row]; ++k, ++length) {
    const LocalIndex j = rows.column[k];
    const auto order = key(j);
    Offset at = length;
    for (; at > 0 && key(column[at - 1]) > order; --at) {
      column[at] = column[at - 1];
      value[at] = value[at - 1];
    }
    column[at] = j;
    value[at] = rows.value[k];
  }
}

}  // namespace

DistributedMatrix pack(const Context& context, const LooseRows& rows, const Distribution& row_distribution,
                       const Distribution& column_distribution) {
  const int rank = context.communicator.rank();
  DistributedMatrix matrix;
  matrix.row_distribution = row_distribution;
  matrix.column_distribution = column_distribution;
  matrix.first_row = row_distribution.begin(rank);
  matrix.first_column = column_distribution.begin(rank);
  matrix.ghosts = rows.ghosts;
  matrix.halo = Halo(context.communicator, column_distribution, matrix.ghosts);
  const auto count = static_cast<LocalIndex>(row_distribution.end(rank) - matrix.first_row);
  Array<Offset> starts(context.storage, static_cast<std::size_t>(count) + 1);
  starts[0] = 0;
  for (LocalIndex i = 0; i < count; ++i) starts[i + 1] = starts[i] + rows.end[i] - rows.begin[i];
  matrix.local = csr_with_starts<double>(context.storage, context.team.size(), count,
                                         rows.owned_columns + static_cast<LocalIndex>(rows.ghosts.size()),
                                         std::move(starts));
  const bool ghosts = !rows.ghosts.empty();
  context.team.run(matrix.local.partition, [&](LocalIndex begin, LocalIndex end, int) {
    for (LocalIndex i = begin; i < end; ++i) {
      LocalIndex* column = matrix.local.column.data() + matrix.local.starts[i];
      double* value = matrix.local.value.data() + matrix.local.starts[i];
      if (ghosts) copy_ordered(rows, i, [&](LocalIndex j) { return matrix.global_column(j); }, column, value);
      else copy_ordered(rows, i, [](LocalIndex j) { return j; }, column, value);
    }
  });
  return matrix;
}

DistributedMatrix multiply(const Context& context, const DistributedMatrix& left, const DistributedMatrix& right) {
  return pack(context, multiply_loose(context, left, right), left.row_distribution, right.column_distribution);
}

DistributedMatrix triple_product(const Context& context, const DistributedMatrix& left, const DistributedMatrix& middle,
                                 const DistributedMatrix& right) {
  LooseRows inner = multiply_loose(context, middle, right);
  const LooseRows product = multiply_loose(context, left, view(inner), middle.local.rows, inner.owned_columns, inner.ghosts,
                                           right.column_distribution);
  inner = LooseRows();
  return pack(context, product, left.row_distribution, right.column_distribution);
}

}  // namespace taihu::amg
