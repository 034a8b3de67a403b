// SPDX-License-Identifier: Apache-2.0
// Flexible GMRES with restarts: the preconditioner may change from step to step.
// Source: Saad 1993 (SIAM J. Sci. Comput. 14, 461), modified Gram-Schmidt, Givens rotations.
#include "taihu/amg/solve/steps.h"

namespace taihu::amg {
namespace {

class FlexibleGmres {
 public:
  FlexibleGmres(const System& system, const Array<double>& b, Array<double>& x, const SolveOptions& options,
                const Progress& progress)
      : system_(system),
        x_(x),
        restart_(std::max(1, std::min(options.restart, options.iterations))),
        basis_(make_vectors(system, restart_ + 1)),
        steps_(make_vectors(system, restart_)),
        hessenberg_((restart_ + 1) * restart_),
        cosine_(restart_),
        sine_(restart_),
        right_(restart_ + 1),
        monitor_(system, b, x, basis_[0], options, progress) {}

  SolveResult run() {
    while (!monitor_.stop()) {
      scale(basis_[0], 1 / monitor_.residual());
      std::fill(right_.begin(), right_.end(), 0.0);
      right_[0] = monitor_.residual();
      int used = 0;
      do {
        extend(used);
        monitor_.record(std::abs(right_[++used]));
      } while (used < restart_ && !monitor_.stop());
      correct(used);
      monitor_.renew();
    }
    return monitor_.result();
  }

 private:
  static std::vector<Array<double>> make_vectors(const System& system, int count) {
    std::vector<Array<double>> vectors;
    for (int k = 0; k < count; ++k) vectors.push_back(make_vector(system));
    return vectors;
  }

  double& h(int i, int j) { return hessenberg_[i * restart_ + j]; }

  void scale(Array<double>& v, double factor) {
    for_rows(system_, [&](LocalIndex i) { v[i] *= factor; });
  }

  // The next vector of the basis, orthogonal to those before, and column k of the triangular system.
  void extend(int k) {
    Array<double>&z = steps_[k], &w = basis_[k + 1];
    precondition(system_, basis_[k], 1, z);
    system_.matrix.fill_ghosts(system_.context, z.data());
    for_blocks(system_.context, system_.partition, [&](LocalIndex begin, LocalIndex end) {
      system_.matrix.product(begin, end, z.data(), w.data());
    });
    for (int i = 0; i <= k; ++i) {
      const Array<double>& v = basis_[i];
      h(i, k) = sum_blocks<1>(system_.context, system_.partition, [&](LocalIndex begin, LocalIndex end) {
        return std::array{dot(v.data() + begin, w.data() + begin, end - begin)};
      })[0];
      for_rows(system_, [&](LocalIndex row) { w[row] -= h(i, k) * v[row]; });
    }
    h(k + 1, k) = norm(system_, w);
    if (h(k + 1, k) > 0) scale(w, 1 / h(k + 1, k));
    for (int i = 0; i < k; ++i) rotate(i, h(i, k), h(i + 1, k));
    const double length = std::hypot(h(k, k), h(k + 1, k));
    cosine_[k] = length > 0 ? h(k, k) / length : 1;
    sine_[k] = length > 0 ? h(k + 1, k) / length : 0;
    rotate(k, h(k, k), h(k + 1, k));
    rotate(k, right_[k], right_[k + 1]);
  }

  void rotate(int k, double& upper, double& lower) const {
    const double old = upper;
    upper = cosine_[k] * old + sine_[k] * lower;
    lower = -sine_[k] * old + cosine_[k] * lower;
  }

  // Adds the best combination of the `used` steps to x.
  void correct(int used) {
    std::vector<double> weight(used);
    for (int i = used - 1; i >= 0; --i) {
      double sum = right_[i];
      for (int j = i + 1; j < used; ++j) sum -= h(i, j) * weight[j];
      weight[i] = h(i, i) != 0 ? sum / h(i, i) : 0;
    }
    for_rows(system_, [&](LocalIndex row) {
      for (int k = 0; k < used; ++k) x_[row] += weight[k] * steps_[k][row];
    });
  }

  const System& system_;
  Array<double>& x_;
  int restart_;
  std::vector<Array<double>> basis_, steps_;
  std::vector<double> hessenberg_, cosine_, sine_, right_;
  ConvergenceMonitor monitor_;
};

}  // namespace

SolveResult flexible_gmres(const System& system, const Array<double>& b, Array<double>& x,
                           const SolveOptions& options, const Progress& progress) {
  return FlexibleGmres(system, b, x, options, progress).run();
}

}  // namespace taihu::amg
