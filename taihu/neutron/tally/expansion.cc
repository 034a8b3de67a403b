// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/expansion.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace taihu::neutron {

void legendre_moments(double x, std::span<double> values) noexcept {
  double before = 0, now = 1;
  for (std::size_t l = 0; l < values.size(); ++l) {
    values[l] = now;
    const auto n = static_cast<double>(l);
    const double next = ((2 * n + 1) * x * now - n * before) / (n + 1);
    before = now;
    now = next;
  }
}

// Associated Legendre functions by the recursion in l, each with the factor sqrt(2 (l - m)! / (l + m)!),
// which is 1 for m = 0. W. Schmidt's normalization; see Press et al., Numerical Recipes, 3rd ed., ch. 6.7.
void harmonic_moments(int order, const Vector& u, std::span<double> values) noexcept {
  const double w = std::clamp(u.z, -1.0, 1.0), across = std::sqrt(1 - w * w);
  const double phi = std::atan2(u.y, u.x);
  double diagonal = 1;  // sqrt of 2 (2m - 1)!! / (2m)!!, times across^m
  for (int m = 0; m <= order; ++m) {
    if (m > 0) diagonal *= across * std::sqrt(m == 1 ? 1.0 : (2.0 * m - 1) / (2.0 * m));
    const double sign = m % 2 == 0 ? 1 : -1;
    const double cosine = sign * std::cos(m * phi), sine = sign * std::sin(m * phi);
    double before = 0, now = diagonal;
    for (int l = m; l <= order; ++l) {
      const int middle = l * l + l;  // place of m = 0
      values[middle + m] = now * cosine;
      if (m > 0) values[middle - m] = now * sine;
      const double a = std::sqrt(static_cast<double>(l + 1) * (l + 1) - static_cast<double>(m) * m);
      const double b = std::sqrt(static_cast<double>(l) * l - static_cast<double>(m) * m);
      const double next = ((2.0 * l + 1) * w * now - b * before) / a;
      before = now;
      now = next;
    }
  }
}

// R_n^m = rho (R_{n-1}^{|m-1|} + R_{n-1}^{m+1}) - R_{n-2}^m. Source: B. H. Shakibaei, R. Paramesran, Optics
// Letters 38 (2013) 2487.
void zernike_moments(int order, double rho, double phi, bool radial, std::span<double> values) noexcept {
  std::array<std::array<double, most_zernike_order + 2>, 3> rows{};  // of n, n - 1 and n - 2
  std::size_t next = 0;
  for (int n = 0; n <= order; ++n) {
    std::array<double, most_zernike_order + 2>& row = rows[n % 3];
    const auto &one = rows[(n + 2) % 3], &two = rows[(n + 1) % 3];
    row.fill(0);
    for (int m = n % 2; m <= n; m += 2)
      row[m] =
          n == 0 ? 1 : rho * (one[std::abs(m - 1)] + (m + 1 < n ? one[m + 1] : 0)) - (m < n ? two[m] : 0);
    if (radial) {
      if (n % 2 == 0) values[next++] = row[0];
      continue;
    }
    for (int m = -n; m <= n; m += 2)
      values[next++] = row[std::abs(m)] * (m < 0 ? std::sin(-m * phi) : std::cos(m * phi));
  }
}

}  // namespace taihu::neutron
