// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solve/steps.h"

namespace taihu::amg {

SolveResult multigrid_cycles(const System& system, const Array<double>& b, Array<double>& x,
                             const SolveOptions& options, const Progress& progress) {
  Array<double> r = make_vector(system), z = make_vector(system);
  ConvergenceMonitor monitor(system, b, x, r, options, progress);
  while (!monitor.stop()) {
    precondition(system, r, monitor.residual(), z);
    for_rows(system, [&](LocalIndex i) { x[i] += z[i]; });
    monitor.record(true_residual(system, b, x, r));
  }
  return monitor.result();
}

}  // namespace taihu::amg
