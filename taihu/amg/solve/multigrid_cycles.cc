// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solve/steps.h"

namespace taihu::amg {

SolveResult multigrid_cycles(const System& system, const Array<double>& b, Array<double>& x,
                             const SolveOptions& options, const Progress& progress) {
  SolveResult result;
  Array<double> r = make_vector(system), z = make_vector(system);
  const double right_side = norm(system, b);
  const double unit = right_side > 0 ? 1 / right_side : 1;
  double residual = true_residual(system, b, x, r);
  while (!record(result, residual * unit, options, progress)) {
    precondition(system, r, residual, z);
    for_blocks(system.context, system.partition, [&](LocalIndex begin, LocalIndex end) {
      for (LocalIndex i = begin; i < end; ++i) x[i] += z[i];
    });
    residual = true_residual(system, b, x, r);
  }
  result.residual = residual * unit;
  result.converged = result.breakdown.empty() && result.residual <= options.tolerance;
  return result;
}

}  // namespace taihu::amg
