// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/smoother/sweep.h"

#include <algorithm>

#include "taihu/amg/smoother/methods.h"

namespace taihu::amg {

template <class Value>
void smooth_zero_guess(const Context& context, Level<Value>& level, Smoother smoother, int sweeps) {
  if (smoother == Smoother::chebyshev) return chebyshev_sweep(context, level, Guess::zero);
  int done = 0;
  if (smoother == Smoother::gauss_seidel) {
    context.team.run(level.partition, [&](LocalIndex begin, LocalIndex end, int) {
      std::fill(level.x.data() + begin, level.x.data() + end, Value{0});
    });
  } else {
    diagonal_sweep(context, level, Guess::zero);
    done = 1;
  }
  for (; done < sweeps; ++done) smooth(context, level, smoother, SweepOrder::forward);
}

template <class Value>
void smooth(const Context& context, Level<Value>& level, Smoother smoother, SweepOrder order) {
  if (smoother == Smoother::chebyshev) return chebyshev_sweep(context, level, Guess::present);
  if (smoother == Smoother::gauss_seidel) return gauss_seidel_sweep(context, level, order);
  diagonal_sweep(context, level, Guess::present);
}

template void smooth_zero_guess(const Context&, Level<float>&, Smoother, int);
template void smooth_zero_guess(const Context&, Level<double>&, Smoother, int);
template void smooth(const Context&, Level<float>&, Smoother, SweepOrder);
template void smooth(const Context&, Level<double>&, Smoother, SweepOrder);

}  // namespace taihu::amg
