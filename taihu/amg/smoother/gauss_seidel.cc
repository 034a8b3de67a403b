// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/smoother/methods.h"

namespace taihu::amg {

template <class Value>
void gauss_seidel_sweep(const Context& context, Level<Value>& level, SweepOrder order) {
  fill_ghosts(context, *level.operator_a, level.x);
  const auto& kernels = sliced_kernels<Value, Value>();
  const auto view = level.operator_a->matrix.view();
  context.team.run(level.partition, [&](LocalIndex begin, LocalIndex end, int) {
    kernels.gauss_seidel(view, first_slice(begin), last_slice(end), row_block / slice_rows, level.x.data(),
                         level.b.data(), level.scale.data(), level.work.data(),
                         order == SweepOrder::backward);
  });
  level.x.swap(level.work);
}

template void gauss_seidel_sweep(const Context&, Level<float>&, SweepOrder);
template void gauss_seidel_sweep(const Context&, Level<double>&, SweepOrder);

}  // namespace taihu::amg
