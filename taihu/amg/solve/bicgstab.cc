// SPDX-License-Identifier: Apache-2.0
// BiCGSTAB with the preconditioner on the right. Source: van der Vorst 1992 (SIAM J. Sci. Stat. Comput. 13,
// 631).
#include "taihu/amg/solve/steps.h"

namespace taihu::amg {
namespace {

class BiCgStab {
 public:
  BiCgStab(const System& system, const Array<double>& b, Array<double>& x, const SolveOptions& options,
           const Progress& progress)
      : system_(system),
        x_(x),
        r_(make_vector(system)),
        shadow_(make_vector(system)),
        p_(make_vector(system)),
        v_(make_vector(system)),
        s_(make_vector(system)),
        t_(make_vector(system)),
        z_(make_vector(system)),
        monitor_(system, b, x, r_, options, progress) {}

  SolveResult run() {
    begin();
    while (!monitor_.stop()) iterate();
    return monitor_.result();
  }

 private:
  void begin() {
    for_rows(system_, [&](LocalIndex i) { shadow_[i] = p_[i] = r_[i]; });
    rho_ = monitor_.residual() * monitor_.residual();
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

  void iterate() {
    precondition(system_, p_, monitor_.residual(), z_);
    const double alpha = rho_ / multiply(z_, v_, shadow_)[0];
    if (!std::isfinite(alpha)) return break_down();
    for_rows(system_, [&](LocalIndex i) {
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
    const double residual = std::sqrt(sums[0]);
    const double beta = sums[1] / rho_ * (alpha / omega);
    rho_ = sums[1];
    if (residual > 0 && !std::isfinite(beta)) return break_down();
    if (residual > 0)
      for_rows(system_, [&](LocalIndex i) { p_[i] = r_[i] + beta * (p_[i] - omega * v_[i]); });
    monitor_.step(residual, [&] { begin(); });
  }

  void break_down() { monitor_.break_down(Trouble::vanished); }

  const System& system_;
  Array<double>& x_;
  Array<double> r_, shadow_, p_, v_, s_, t_, z_;
  ConvergenceMonitor monitor_;
  double rho_ = 0;
};

}  // namespace

SolveResult bicgstab(const System& system, const Array<double>& b, Array<double>& x,
                     const SolveOptions& options, const Progress& progress) {
  return BiCgStab(system, b, x, options, progress).run();
}

}  // namespace taihu::amg
