// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/multiply.h"

#include "taihu/amg/matrix/loose_rows.h"

namespace taihu::amg {
namespace {

RowsView view(const Csr<double>& matrix) {
  return {matrix.starts.data(), matrix.starts.data() + 1, matrix.column.data(), matrix.value.data(),
          matrix.columns};
}

RowsView view(const LooseRows& rows) {
  return {rows.begin.data(), rows.end.data(), rows.column.data(), rows.value.data(),
          rows.owned_columns + static_cast<LocalIndex>(rows.ghosts.size())};
}

// Left times right, where right has `own` rows on this rank.
LooseRows multiply_loose(const Context& context, const DistributedMatrix& left, const RowsView& right,
                         LocalIndex own, LocalIndex owned_columns, const std::vector<GlobalIndex>& ghosts,
                         const Distribution& columns) {
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

LooseRows multiply_loose(const Context& context, const DistributedMatrix& left,
                         const DistributedMatrix& right) {
  return multiply_loose(context, left, view(right.local), right.local.rows, right.owned_columns(),
                        right.ghosts, right.column_distribution);
}

}  // namespace

DistributedMatrix multiply(const Context& context, const DistributedMatrix& left,
                           const DistributedMatrix& right) {
  return pack(context, multiply_loose(context, left, right), left.row_distribution,
              right.column_distribution);
}

DistributedMatrix triple_product(const Context& context, const DistributedMatrix& left,
                                 const DistributedMatrix& middle, const DistributedMatrix& right) {
  if (context.communicator.size() == 1) {
    LooseRows product = triple_rows(context, left.local, middle.local, view(right.local));
    product.owned_columns = right.owned_columns();
    return pack(context, std::move(product), left.row_distribution, right.column_distribution);
  }
  LooseRows inner = multiply_loose(context, middle, right);
  LooseRows product = multiply_loose(context, left, view(inner), middle.local.rows, inner.owned_columns,
                                     inner.ghosts, right.column_distribution);
  inner = LooseRows();
  return pack(context, std::move(product), left.row_distribution, right.column_distribution);
}

}  // namespace taihu::amg
