// SPDX-License-Identifier: Apache-2.0
// Iterative methods for A x = b with a multigrid preconditioner. All are collective, start from the given x
// and stop when the 2-norm of the residual, computed from x itself at the end, is at most tolerance times
// that of b.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taihu/amg/solve/system.h"

namespace taihu::amg {

/// Called on every rank with the iteration and the residual relative to the right-hand side.
using Progress = std::function<void(int iteration, double residual)>;

/// Why a method could not go on.
enum class Trouble {
  none,
  slow,  ///< and something else can be tried
  not_finite,
  indefinite_matrix,  ///< p'Ap is not positive
  indefinite_cycle,   ///< r'z is not positive
  vanished            ///< a product that BiCGSTAB divides by
};

struct SolveResult {
  bool converged = false;
  int iterations = 0;
  double residual = 0;          ///< of x itself, relative to the right-hand side
  std::vector<double> history;  ///< relative residuals, the initial one first
  Trouble trouble = Trouble::none;
  std::string breakdown;           ///< why there is no solution, where more is known than the residual
  std::vector<std::string> notes;  ///< what was chosen automatically because the first choice failed
};

/// b and x: vectors of make_vector().
SolveResult conjugate_gradients(const System& system, const Array<double>& b, Array<double>& x,
                                const SolveOptions& options, const Progress& progress);
SolveResult flexible_gmres(const System& system, const Array<double>& b, Array<double>& x,
                           const SolveOptions& options, const Progress& progress);
SolveResult bicgstab(const System& system, const Array<double>& b, Array<double>& x,
                     const SolveOptions& options, const Progress& progress);
SolveResult multigrid_cycles(const System& system, const Array<double>& b, Array<double>& x,
                             const SolveOptions& options, const Progress& progress);

}  // namespace taihu::amg
