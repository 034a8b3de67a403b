// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients in three passes over the vectors: (1) r'z, (2) p = z + beta p, then q = A p with p'q,
// (3) x and r with r'r and the conversion of r for the next cycle.
#include "taihu/amg/solve/steps.h"

namespace taihu::amg {
namespace {

class ConjugateGradients {
 public:
  ConjugateGradients(const System& system, const Array<double>& b, Array<double>& x)
      : system_(system),
        b_(b),
        x_(x),
        r_(make_vector(system)),
        p_(make_vector(system)),
        q_(make_vector(system)) {}

  SolveResult run(const SolveOptions& options, const Progress& progress) {
    const double right_side = norm(system_, b_);
    const double unit = right_side > 0 ? 1 / right_side : 1;
    residual_ = true_residual(system_, b_, x_, r_);
    load();
    bool stop = record(result_, residual_ * unit, options, progress);
    rho_ = 0;
    while (!stop) {
      if (!iterate()) break;
      stop = record(result_, residual_ * unit, options, progress);
      // The updated residual drifts from that of x; what counts at the end is the true one.
      if (stop && !(residual_ * unit > options.tolerance)) {
        residual_ = true_residual(system_, b_, x_, r_);
        stop = !(residual_ * unit > options.tolerance) || result_.iterations >= options.iterations;
        load();
        rho_ = 0;
      }
    }
    result_.residual = residual_ * unit;
    result_.converged = result_.breakdown.empty() && result_.residual <= options.tolerance;
    return result_;
  }

 private:
  void load() {
    factor_ = unit_factor(residual_);
    for_blocks(system_.context, system_.partition, [&](LocalIndex begin, LocalIndex end) {
      system_.preconditioner.load(begin, end, r_.data(), factor_);
    });
  }

  // One step; false with a reason when the matrix or the preconditioner is not positive definite.
  bool iterate() {
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
    if (!check(rho, curvature)) return false;
    update(rho / curvature);
    return true;
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

  bool check(double rho, double curvature) {
    if (!std::isfinite(rho) || !std::isfinite(curvature)) {
      result_.breakdown = "a number of the iteration is not finite";
    } else if (!(curvature > 0)) {
      result_.breakdown = "the matrix is not positive definite, which conjugate gradients need";
    } else if (!(rho > 0)) {
      result_.breakdown = "the preconditioner is not positive definite, so probably the matrix is not either";
    }
    return result_.breakdown.empty();
  }

  // x += alpha p, r -= alpha q, r to the preconditioner.
  void update(double alpha) {
    const Timed timed(system_.context.profile, "solve: vectors");
    factor_ = unit_factor(residual_);
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
    residual_ = std::sqrt(square);
  }

  const System& system_;
  const Array<double>& b_;
  Array<double>& x_;
  Array<double> r_, p_, q_;
  SolveResult result_;
  double residual_ = 0;  // norm of r
  double rho_ = 0;       // r'z of the step before; 0: there is none
  double factor_ = 1;    // the preconditioner holds factor * r
};

}  // namespace

SolveResult conjugate_gradients(const System& system, const Array<double>& b, Array<double>& x,
                                const SolveOptions& options, const Progress& progress) {
  return ConjugateGradients(system, b, x).run(options, progress);
}

}  // namespace taihu::amg
