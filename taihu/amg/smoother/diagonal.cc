// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/smoother/methods.h"

namespace taihu::amg {

template <class Value>
void diagonal_sweep(const Context& context, Level<Value>& level, Guess guess) {
  if (guess == Guess::zero)
    return context.team.run(level.partition, [&](LocalIndex begin, LocalIndex end, int) {
      const Value *scale = level.scale.data(), *b = level.b.data();
      Value* x = level.x.data();
      for (LocalIndex i = begin; i < end; ++i) x[i] = scale[i] * b[i];
    });
  fill_ghosts(context, *level.operator_a, level.x);
  const auto& kernels = sliced_kernels<Value, Value>();
  const auto view = level.operator_a->matrix.view();
  context.team.run(level.partition, [&](LocalIndex begin, LocalIndex end, int) {
    kernels.smooth(view, first_slice(begin), last_slice(end), level.x.data(), level.b.data(),
                   level.scale.data(), level.work.data());
  });
  level.x.swap(level.work);
}

template void diagonal_sweep(const Context&, Level<float>&, Guess);
template void diagonal_sweep(const Context&, Level<double>&, Guess);

}  // namespace taihu::amg
