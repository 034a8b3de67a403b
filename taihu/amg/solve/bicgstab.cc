// SPDX-License-Identifier: Apache-2.0
// BiCGSTAB with the preconditioner on the right. Source: van der Vorst 1992 (SIAM J. Sci. Stat. Comput. 13,
// 631).
#include "taihu/amg/solve/steps.h"

namespace taihu::amg {
namespace {

class BiCgStab {
 public:
  BiCgStab(const System& system, const Array<double>& b, Array<double>& x)
      : system_(system),
        b_(b),
        x_(x),
        r_(make_vector(system)),
        shadow_(make_vector(system)),
        p_(make_vector(system)),
        v_(make_vector(system)),
        s_(make_vector(system)),
        t_(make_vector(system)),
        z_(make_vector(system)) {}

  SolveResult run(const SolveOptions& options, const Progress& progress) {
    const double right_side = norm(system_, b_);
    const double unit = right_side > 0 ? 1 / right_side : 1;
    residual_ = true_residual(system_, b_, x_, r_);
    begin();
    bool stop = record(result_, residual_ * unit, options, progress);
    while (!stop) {
      if (!iterate()) break;
      stop = record(result_, residual_ * unit, options, progress);
      if (stop && !(residual_ * unit > options.tolerance)) {
        residual_ = true_residual(system_, b_, x_, r_);
        stop = !(residual_ * unit > options.tolerance) || result_.iterations >= options.iterations;
        begin();
      }
    }
    result_.residual = true_residual(system_, b_, x_, r_) * unit;
    result_.converged = result_.breakdown.empty() && result_.residual <= options.tolerance;
    return result_;
  }

 private:
  template <class Row>
  void rows(const Row& row) {
    for_blocks(system_.context, system_.partition, [&](LocalIndex begin, LocalIndex end) {
      for (LocalIndex i = begin; i < end; ++i) row(i);
    });
  }

  void begin() {
    rows([&](LocalIndex i) { shadow_[i] = p_[i] = r_[i]; });
    rho_ = residual_ * residual_;
  }

  // y = A z; returns the products of y with a and with itself.
  std::array<double, 2> multiply(Array<double>& z, Array<double>& y, const Array<double>& a) {
    system_.matrix.fill_ghosts(system_.context, z.data());
    return sum_blocks<2>(system_.context, system_.partition, [&](LocalIndex begin, LocalIndex end) {
      system_.matrix.product(begin, end, z.data(), y.data());
      const double* block = y.data() + begin;
      return std::array{dot(block, a.data() + begin, end - begin), dot(block, block, end - begin)};
    });
  }

  bool iterate() {
    precondition(system_, p_, residual_, z_);
    const double alpha = rho_ / multiply(z_, v_, shadow_)[0];
    if (!std::isfinite(alpha)) return broken_down();
    rows([&](LocalIndex i) {
      s_[i] = r_[i] - alpha * v_[i];
      x_[i] += alpha * z_[i];
    });
    precondition(system_, s_, norm(system_, s_), z_);
    const auto [ts, tt] = multiply(z_, t_, s_);
    const double omega = tt > 0 ? ts / tt : 0;
    const auto sums =
        sum_blocks<2>(system_.context, system_.partition, [&](LocalIndex begin, LocalIndex end) {
          for (LocalIndex i = begin; i < end; ++i) {
            x_[i] += omega * z_[i];
            r_[i] = s_[i] - omega * t_[i];
          }
          const double* block = r_.data() + begin;
          return std::array{dot(block, block, end - begin), dot(block, shadow_.data() + begin, end - begin)};
        });
    residual_ = std::sqrt(sums[0]);
    const double beta = sums[1] / rho_ * (alpha / omega);
    rho_ = sums[1];
    if (residual_ == 0) return true;
    if (!std::isfinite(beta)) return broken_down();
    rows([&](LocalIndex i) { p_[i] = r_[i] + beta * (p_[i] - omega * v_[i]); });
    return true;
  }

  bool broken_down() {
    result_.breakdown = "BiCGSTAB broke down (a product of its vectors vanished); gmres does not";
    return false;
  }

  const System& system_;
  const Array<double>& b_;
  Array<double>& x_;
  Array<double> r_, shadow_, p_, v_, s_, t_, z_;
  SolveResult result_;
  double residual_ = 0, rho_ = 0;
};

}  // namespace

SolveResult bicgstab(const System& system, const Array<double>& b, Array<double>& x,
                     const SolveOptions& options, const Progress& progress) {
  return BiCgStab(system, b, x).run(options, progress);
}

}  // namespace taihu::amg
