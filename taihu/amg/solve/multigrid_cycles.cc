// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solve/steps.h"

namespace taihu::amg {

SolveResult multigrid_cycles(const System& system, const Array<double>& b, Array<double>& x,
                             const SolveOptions& options, const Progress& progress) {
  Array<double> r = make_vector(system), z = make_vector(system);
  Course course(system, b, x, r, options, progress);
  while (!course.stop()) {
    precondition(system, r, course.residual(), z);
    for_rows(system, [&](LocalIndex i) { x[i] += z[i]; });
    course.record(true_residual(system, b, x, r));
  }
  return course.result();
}

}  // namespace taihu::amg
