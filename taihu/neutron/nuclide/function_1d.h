// SPDX-License-Identifier: Apache-2.0
// A function of one variable as evaluated nuclear data give it: a polynomial, or a table whose regions say
// how to go from point to point. Source: ENDF-6 Formats Manual, BNL-203218-2018-INRE, section 0.5.2.1.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/nuclide/energy_grid.h"

namespace taihu::neutron {

/// How a region of a table is interpolated; the numbers are those of ENDF-6. The second word is the abscissa.
enum class Interpolation { histogram = 1, linear_linear, linear_log, log_linear, log_log };

class Function1d {
 public:
  /// Zero everywhere.
  Function1d() = default;

  /// Throws Error that begins with `what`, when a coefficient is not finite.
  static Function1d polynomial(std::vector<double> coefficients, const std::string& what);

  /// `breakpoints`: number of the last point, counted from 1, of each region; empty: one region with laws[0].
  /// Throws Error that begins with `what`.
  static Function1d table(std::vector<double> x, std::vector<double> y, const std::vector<int>& breakpoints,
                          const std::vector<int>& laws, const std::string& what);
  static Function1d line(std::vector<double> x, std::vector<double> y, const std::string& what) {
    return table(std::move(x), std::move(y), {}, {2}, what);
  }

  /// Prepares a table of energies for very many calls. The values stay the same.
  void index_energies();

  /// Tables keep their first and last value outside.
  double operator()(double x) const noexcept;

  /// Upper bound over [a, b], and over the intervals of the table that these are in. Tables only.
  double most_between(double a, double b) const noexcept;

  bool is_table() const noexcept { return !x_.empty(); }
  bool is_linear() const noexcept;  ///< a table that is straight between all points
  /// The same whole number everywhere; 0: no.
  int whole_constant() const noexcept;
  const std::vector<double>& x() const noexcept { return x_; }
  const std::vector<double>& y() const noexcept { return y_; }

 private:
  std::vector<double> coefficients_;
  std::vector<double> x_, y_;
  std::vector<Interpolation> laws_;  ///< of each interval
  EnergyIndex index_;                ///< of x_; empty: not asked for
};

/// Value at x between (x0, y0) and (x1, y1). Where a logarithm would need a value that is not positive, the
/// interpolation is linear.
double interpolate(Interpolation law, double x, double x0, double y0, double x1, double y1) noexcept;

}  // namespace taihu::neutron
