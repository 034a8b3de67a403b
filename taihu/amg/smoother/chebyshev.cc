// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/smoother/methods.h"

namespace taihu::amg {

template <class Value>
void chebyshev_sweep(const Context& context, Level<Value>& level, Guess guess) {
  const double upper = level.spectrum, lower = upper / 4;
  const double centre = (upper + lower) / 2, half = (upper - lower) / 2;
  const auto& kernels = sliced_kernels<Value, Value>();
  const auto view = level.operator_a->matrix.view();
  double rho = half / centre;
  for (int step = 0; step < 2; ++step) {
    const double next_rho = step == 0 ? rho : 1 / (2 * centre / half - rho);
    const auto old_part = static_cast<Value>(step == 0 ? 0 : rho * next_rho);
    const auto new_part = static_cast<Value>(step == 0 ? 1 / centre : 2 * next_rho / half);
    const bool from_zero = guess == Guess::zero && step == 0;
    if (!from_zero) fill_ghosts(context, *level.operator_a, level.x);
    const Value* residual = from_zero ? level.b.data() : level.work.data();
    if (!from_zero)
      context.team.run(level.partition, [&](LocalIndex begin, LocalIndex end, int) {
        kernels.residual(view, first_slice(begin), last_slice(end), level.x.data(), level.b.data(),
                         level.work.data());
      });
    context.team.run(level.partition, [&](LocalIndex begin, LocalIndex end, int) {
      for (LocalIndex i = begin; i < end; ++i) {
        level.step[i] = old_part * level.step[i] + new_part * level.scale[i] * residual[i];
        level.x[i] = from_zero ? level.step[i] : level.x[i] + level.step[i];
      }
    });
    rho = next_rho;
  }
}

template void chebyshev_sweep(const Context&, Level<float>&, Guess);
template void chebyshev_sweep(const Context&, Level<double>&, Guess);

}  // namespace taihu::amg
