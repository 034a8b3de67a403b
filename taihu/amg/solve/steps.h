// SPDX-License-Identifier: Apache-2.0
// Steps that the iterative methods share.
#pragma once

#include <cmath>

#include "taihu/amg/solve/krylov.h"

namespace taihu::amg {

/// A power of two that brings numbers of about the size `norm` to about one, so that a residual of any size
/// fits into single precision; exact to multiply with.
inline double unit_factor(double norm) {
  return norm > 0 && std::isfinite(norm) ? std::ldexp(1.0, std::clamp(-std::ilogb(norm), -1000, 1000)) : 1.0;
}

/// r = b - A x; returns the 2-norm of r.
inline double true_residual(const System& system, const Array<double>& b, Array<double>& x,
                            Array<double>& r) {
  system.matrix.fill_ghosts(system.context, x.data());
  const auto sums = sum_blocks<1>(system.context, system.partition, [&](LocalIndex begin, LocalIndex end) {
    system.matrix.product(begin, end, x.data(), r.data());
    for (LocalIndex i = begin; i < end; ++i) r[i] = b[i] - r[i];
    return std::array{dot(r.data() + begin, r.data() + begin, end - begin)};
  });
  return std::sqrt(sums[0]);
}

inline double norm(const System& system, const Array<double>& v) {
  const auto sums = sum_blocks<1>(system.context, system.partition, [&](LocalIndex begin, LocalIndex end) {
    return std::array{dot(v.data() + begin, v.data() + begin, end - begin)};
  });
  return std::sqrt(sums[0]);
}

/// z = one cycle for the right-hand side r of norm about `size`.
inline void precondition(const System& system, const Array<double>& r, double size, Array<double>& z) {
  const double factor = unit_factor(size);
  for_blocks(system.context, system.partition, [&](LocalIndex begin, LocalIndex end) {
    system.preconditioner.load(begin, end, r.data(), factor);
  });
  system.preconditioner.cycle();
  for_blocks(system.context, system.partition, [&](LocalIndex begin, LocalIndex end) {
    system.preconditioner.unload(begin, end, z.data() + begin, 1 / factor);
  });
}

/// Adds a line to the history; true when the method is to stop.
inline bool record(SolveResult& result, double relative, const SolveOptions& options,
                   const Progress& progress) {
  result.history.push_back(relative);
  result.iterations = static_cast<int>(result.history.size()) - 1;
  if (progress) progress(result.iterations, relative);
  if (!std::isfinite(relative)) result.breakdown = "the residual is not a finite number";
  return !(relative > options.tolerance) || result.iterations >= options.iterations;
}

}  // namespace taihu::amg
