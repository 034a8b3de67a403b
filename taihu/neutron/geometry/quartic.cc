// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/geometry/quartic.h"

#include <cmath>

namespace taihu::neutron {
namespace {

double value(const double* c, int degree, double x) noexcept {
  double result = c[degree];
  for (int i = degree - 1; i >= 0; --i) result = result * x + c[i];
  return result;
}

/// The root in [low, high], at whose ends the values have different signs. Bisection with secant steps.
double bracketed_root(const double* c, int degree, double low, double high, double at_low,
                      double at_high) noexcept {
  for (int step = 0; step < 200 && high - low > 1e-16 * (std::fabs(low) + std::fabs(high)); ++step) {
    double middle = step % 3 == 2 ? 0.5 * (low + high) : low - at_low * (high - low) / (at_high - at_low);
    if (!(middle > low && middle < high)) middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    const double at_middle = value(c, degree, middle);
    if (at_middle == 0) return middle;
    if ((at_middle < 0) == (at_low < 0)) {
      low = middle, at_low = at_middle;
    } else {
      high = middle, at_high = at_middle;
    }
  }
  return 0.5 * (low + high);
}

/// Roots in (0, upper) in rising order; returns how many.
int roots(const double* c, int degree, double upper, double* out) noexcept {
  if (degree == 0) return 0;
  double derivative[5];
  for (int i = 1; i <= degree; ++i) derivative[i - 1] = i * c[i];
  double edges[6];
  edges[0] = 0;
  const int extrema = roots(derivative, degree - 1, upper, edges + 1);
  edges[extrema + 1] = upper;
  int count = 0;
  for (int i = 0; i <= extrema; ++i) {
    const double at_low = value(c, degree, edges[i]), at_high = value(c, degree, edges[i + 1]);
    if (at_low == 0 || (at_low < 0) == (at_high < 0)) continue;
    out[count++] = bracketed_root(c, degree, edges[i], edges[i + 1], at_low, at_high);
  }
  return count;
}

}  // namespace

double smallest_positive_root(const std::array<double, 5>& c, double upper) noexcept {
  double found[5];
  return roots(c.data(), 4, upper, found) > 0 ? found[0] : -1;
}

}  // namespace taihu::neutron
