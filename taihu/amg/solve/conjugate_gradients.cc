// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients in three passes over the vectors: (1) r'z, (2) p = z + beta p, then q = A p with p'q,
// (3) x and r with r'r and the conversion of r for the next cycle.
#include "taihu/amg/solve/steps.h"

namespace taihu::amg {
namespace {

class ConjugateGradients {
 public:
  ConjugateGradients(const System& system, const Array<double>& b, Array<double>& x,
                     const SolveOptions& options, const Progress& progress)
      : system_(system),
        x_(x),
        r_(make_vector(system)),
        p_(make_vector(system)),
        q_(make_vector(system)),
        monitor_(system, b, x, r_, options, progress) {}

  SolveResult run() {
    load();
    while (!monitor_.stop()) iterate();
    return monitor_.result();
  }

 private:
  // Begins anew from r.
  void load() {
    rho_ = 0;
    factor_ = unit_factor(monitor_.residual());
    for_blocks(system_.context, system_.partition, [&](LocalIndex begin, LocalIndex end) {
      system_.preconditioner.load(begin, end, r_.data(), factor_);
    });
  }

  void iterate() {
    Preconditioner& preconditioner = system_.preconditioner;
    preconditioner.cycle();
    const Timed timed(system_.context.profile, "solve: vectors");
    const double back = 1 / factor_;
    const double rho =
        sum_blocks<1>(system_.context, system_.partition, [&](LocalIndex begin, LocalIndex end) {
          double z[row_block];
          preconditioner.unload(begin, end, z, back);
          return std::array{dot(r_.data() + begin, z, end - begin)};
        })[0];
    const double beta = rho_ == 0 ? 0 : rho / rho_;
    rho_ = rho;
    for_blocks(system_.context, system_.partition, [&](LocalIndex begin, LocalIndex end) {
      double z[row_block];
      preconditioner.unload(begin, end, z, back);
      for (LocalIndex i = begin; i < end; ++i) p_[i] = z[i - begin] + beta * p_[i];
    });
    const double curvature = multiply();
    if (const Trouble why = trouble(rho, curvature); why != Trouble::none) return monitor_.break_down(why);
    monitor_.step(update(rho / curvature), [&] { load(); });
  }

  // q = A p; returns p'q.
  double multiply() {
    const Timed timed(system_.context.profile, "solve: matrix times direction");
    system_.matrix.fill_ghosts(system_.context, p_.data());
    return sum_blocks<1>(system_.context, system_.partition, [&](LocalIndex begin, LocalIndex end) {
      system_.matrix.product(begin, end, p_.data(), q_.data());
      return std::array{dot(p_.data() + begin, q_.data() + begin, end - begin)};
    })[0];
  }

  // Why there is no step with these products.
  static Trouble trouble(double rho, double curvature) {
    if (!std::isfinite(rho) || !std::isfinite(curvature)) return Trouble::not_finite;
    if (!(curvature > 0)) return Trouble::indefinite_matrix;
    return rho > 0 ? Trouble::none : Trouble::indefinite_cycle;
  }

  // x += alpha p, r -= alpha q, r to the preconditioner; returns the norm of r.
  double update(double alpha) {
    const Timed timed(system_.context.profile, "solve: vectors");
    factor_ = unit_factor(monitor_.residual());
    const double square =
        sum_blocks<1>(system_.context, system_.partition, [&](LocalIndex begin, LocalIndex end) {
          double *x = x_.data(), *r = r_.data();
          const double *p = p_.data(), *q = q_.data();
          for (LocalIndex i = begin; i < end; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
          }
          system_.preconditioner.load(begin, end, r, factor_);
          return std::array{dot(r + begin, r + begin, end - begin)};
        })[0];
    return std::sqrt(square);
  }

  const System& system_;
  Array<double>& x_;
  Array<double> r_, p_, q_;
  ConvergenceMonitor monitor_;
  double rho_ = 0;     // r'z of the step before; 0: there is none
  double factor_ = 1;  // the preconditioner holds factor * r
};

}  // namespace

SolveResult conjugate_gradients(const System& system, const Array<double>& b, Array<double>& x,
                                const SolveOptions& options, const Progress& progress) {
  return ConjugateGradients(system, b, x, options, progress).run();
}

}  // namespace taihu::amg
