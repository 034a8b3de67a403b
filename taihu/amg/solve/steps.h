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

/// Calls row(i) for each row of this rank, on all threads.
template <class Row>
void for_rows(const System& system, const Row& row) {
  for_blocks(system.context, system.partition, [&](LocalIndex begin, LocalIndex end) {
    for (LocalIndex i = begin; i < end; ++i) row(i);
  });
}

/// Watches the convergence of a method: its residuals relative to the right-hand side, when it stops, what it
/// tells at the end. The residual vector that a method updates drifts from that of x, and what counts is the
/// latter.
class ConvergenceMonitor {
 public:
  /// r receives the residual of x.
  ConvergenceMonitor(const System& system, const Array<double>& b, Array<double>& x, Array<double>& r,
                     const SolveOptions& options, const Progress& progress)
      : system_(system), b_(b), x_(x), r_(r), options_(options), progress_(progress) {
    const double right_side = norm(system, b);
    unit_ = right_side > 0 ? 1 / right_side : 1;
    residual_ = true_residual(system, b, x, r);
    stop_ = record(residual_);
    fresh_ = true;
  }

  /// Whether the method is to stop.
  bool stop() const { return stop_; }
  /// Norm of the residual.
  double residual() const { return residual_; }

  /// Counts an iteration that left a residual of this norm; true: stop.
  bool record(double residual) {
    residual_ = residual;
    fresh_ = false;
    const double relative = residual * unit_;
    result_.history.push_back(relative);
    result_.iterations = static_cast<int>(result_.history.size()) - 1;
    if (progress_) progress_(result_.iterations, relative);
    if (!std::isfinite(relative)) result_.trouble = Trouble::not_finite;
    end_when_slow();
    return stop_ = ended();
  }

  /// r = b - A x; stops when that is small enough or the iterations are used up.
  void renew() {
    residual_ = true_residual(system_, b_, x_, r_);
    result_.history.back() = residual_ * unit_;
    fresh_ = true;
    end_when_slow();
    stop_ = ended();
  }

  /// record(); where a small updated residual says stop, renew() has the last word, and restart() tells the
  /// method that r is another one.
  template <class Restart>
  void step(double residual, const Restart& restart) {
    if (!record(residual) || !reached()) return;
    renew();
    restart();
  }

  /// Ends the method: it could not go on.
  void break_down(Trouble why) {
    result_.trouble = why;
    stop_ = true;
  }

  SolveResult result() {
    if (!fresh_) residual_ = true_residual(system_, b_, x_, r_);
    result_.residual = residual_ * unit_;
    result_.converged = result_.residual <= options_.tolerance;
    if (result_.converged) result_.trouble = Trouble::none;
    return std::move(result_);
  }

 private:
  bool ended() const {
    return reached() || result_.trouble != Trouble::none || result_.iterations >= options_.iterations;
  }

  void end_when_slow() {
    if (system_.ends_when_slow && result_.trouble == Trouble::none && !reached() && slow())
      result_.trouble = Trouble::slow;
  }

  // Whether far more iterations are to come than a good cycle takes, by the last thirty: looked at now and
  // then, as residuals of Krylov methods go up and down. What rounding leaves is not the cycle's fault.
  bool slow() const {
    constexpr int looked_at = 40, many = 200;
    constexpr double rounding = 1e-12;
    if (result_.iterations % looked_at != 0 || result_.iterations == 0) return false;
    const auto lowest = [&](int from) {
      const auto first = result_.history.end() - from;
      return *std::min_element(first, first + 10);
    };
    const double now = lowest(10), before = lowest(30);
    if (now < rounding) return false;
    if (!(now < before)) return true;
    const double left = 20 * std::log(std::max(options_.tolerance, rounding) / now) / std::log(now / before);
    return result_.iterations + left > many;
  }

  // Also when the residual is not a number.
  bool reached() const { return !(residual_ * unit_ > options_.tolerance) || !std::isfinite(residual_); }

  const System& system_;
  const Array<double>& b_;
  Array<double>&x_, &r_;
  const SolveOptions& options_;
  const Progress& progress_;
  SolveResult result_;
  double unit_ = 1;      // over the norm of b
  double residual_ = 0;  // norm
  bool fresh_ = false;   // r is the residual of x
  bool stop_ = false;
};

}  // namespace taihu::amg
