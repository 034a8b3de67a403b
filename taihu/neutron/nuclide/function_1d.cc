// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/nuclide/function_1d.h"

#include <algorithm>
#include <cmath>

#include "taihu/base/error.h"

namespace taihu::neutron {

Function1d Function1d::polynomial(std::vector<double> coefficients, const std::string& what) {
  for (const double value : coefficients)
    check_input(std::isfinite(value), what + ": a coefficient is not finite");
  Function1d function;
  function.coefficients_ = std::move(coefficients);
  return function;
}

Function1d Function1d::table(std::vector<double> x, std::vector<double> y,
                             const std::vector<int>& breakpoints, const std::vector<int>& laws,
                             const std::string& what) {
  check_input(!x.empty() && x.size() == y.size(), what + ": a table needs as many values as points");
  check_input(std::is_sorted(x.begin(), x.end()), what + ": the points of a table have to rise");
  for (std::size_t i = 0; i < x.size(); ++i)
    check_input(std::fabs(x[i]) < 1e100 && std::fabs(y[i]) < 1e100,
                what + ": a value is not finite or beyond 1e100");
  check_input(
      !laws.empty() && (breakpoints.size() == laws.size() || (breakpoints.empty() && laws.size() == 1)),
      what + ": a table needs one law per region");
  Function1d function;
  function.laws_.assign(x.size() - 1, Interpolation::linear_linear);
  std::size_t interval = 0;
  for (std::size_t region = 0; region < laws.size(); ++region) {
    check_input(laws[region] >= 1 && laws[region] <= 5,
                what + ": interpolation law " + std::to_string(laws[region]) + " is not known");
    const std::size_t end = breakpoints.empty() ? x.size() : static_cast<std::size_t>(breakpoints[region]);
    check_input(end >= 1 && end <= x.size(), what + ": a region ends outside of its table");
    for (; interval + 1 < end; ++interval)
      function.laws_[interval] = static_cast<Interpolation>(laws[region]);
  }
  function.x_ = std::move(x);
  function.y_ = std::move(y);
  return function;
}

void Function1d::index_energies() {
  if (x_.size() > 1 && x_.front() > 0) index_ = EnergyIndex(x_.data(), x_.size());
}

double Function1d::operator()(double x) const noexcept {
  if (x_.empty()) {
    double sum = 0;
    for (auto c = coefficients_.rbegin(); c != coefficients_.rend(); ++c) sum = sum * x + *c;
    return sum;
  }
  if (x <= x_.front()) return y_.front();
  if (x >= x_.back()) return y_.back();
  const std::size_t i =
      index_.empty() ? std::upper_bound(x_.begin(), x_.end(), x) - x_.begin() - 1 : index_.find(x_.data(), x);
  return interpolate(laws_[i], x, x_[i], y_[i], x_[i + 1], y_[i + 1]);
}

bool Function1d::is_linear() const noexcept {
  return is_table() && std::all_of(laws_.begin(), laws_.end(),
                                   [](Interpolation law) { return law == Interpolation::linear_linear; });
}

int Function1d::whole_constant() const noexcept {
  const std::vector<double>& values = is_table() ? y_ : coefficients_;
  if (values.empty() || !(values[0] >= 1 && values[0] <= 100) || values[0] != std::floor(values[0])) return 0;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] != (is_table() ? values[0] : 0)) return 0;
  return static_cast<int>(values[0]);
}

/// Every law is monotonic between two points.
double Function1d::most_between(double a, double b) const noexcept {
  const auto last = static_cast<std::ptrdiff_t>(x_.size()) - 1;
  const auto below = std::lower_bound(x_.begin(), x_.end(), a) - x_.begin() - 1;
  const auto above = std::upper_bound(x_.begin(), x_.end(), b) - x_.begin();
  return *std::max_element(y_.begin() + std::clamp<std::ptrdiff_t>(below, 0, last),
                           y_.begin() + std::clamp<std::ptrdiff_t>(above, 0, last) + 1);
}

double interpolate(Interpolation law, double x, double x0, double y0, double x1, double y1) noexcept {
  if (!(x1 > x0)) return y1;
  const bool positive_x = x0 > 0 && x > 0, positive_y = y0 > 0 && y1 > 0;
  const bool log_x = (law == Interpolation::linear_log || law == Interpolation::log_log) && positive_x;
  const bool log_y = (law == Interpolation::log_linear || law == Interpolation::log_log) && positive_y;
  if (law == Interpolation::histogram) return y0;
  const double f = log_x ? std::log(x / x0) / std::log(x1 / x0) : (x - x0) / (x1 - x0);
  return log_y ? y0 * std::exp(f * std::log(y1 / y0)) : y0 + f * (y1 - y0);
}

}  // namespace taihu::neutron
