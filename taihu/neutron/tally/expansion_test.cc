// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/expansion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "taihu/neutron/particle/random.h"

namespace taihu::neutron {
namespace {

TEST(Expansion, LegendrePolynomials) {
  std::vector<double> p(4);
  legendre_moments(0.3, p);
  EXPECT_DOUBLE_EQ(p[0], 1);
  EXPECT_DOUBLE_EQ(p[1], 0.3);
  EXPECT_NEAR(p[2], 1.5 * 0.09 - 0.5, 1e-15);
  EXPECT_NEAR(p[3], 2.5 * 0.027 - 0.45, 1e-15);
}

TEST(Expansion, HarmonicsAreThoseOfOpenMC) {
  const Vector u = unit({0.3, -0.5, 0.7});
  std::vector<double> y(16);
  harmonic_moments(3, u, y);
  const double w = u.z, s = 1 - w * w, phi = std::atan2(u.y, u.x);
  EXPECT_DOUBLE_EQ(y[0], 1);
  EXPECT_NEAR(y[1], -u.y, 1e-15);
  EXPECT_NEAR(y[2], w, 1e-15);
  EXPECT_NEAR(y[3], -u.x, 1e-15);
  EXPECT_NEAR(y[4], 0.288675134594813 * 3 * s * std::sin(2 * phi), 1e-12);
  EXPECT_NEAR(y[9], -0.790569415042095 * std::pow(s, 1.5) * std::sin(3 * phi), 1e-12);
  EXPECT_NEAR(y[14], 1.93649167310371 * w * s * std::cos(2 * phi), 1e-12);
}

/// The mean of the product of two harmonics over all directions is 0, of a square 1 / (2 l + 1).
TEST(Expansion, HarmonicsAreOrthogonal) {
  constexpr int order = most_harmonic_order, count = (order + 1) * (order + 1), points = 4000;
  Stream random(1, StreamUse::source, 0, 0);
  std::vector<double> y(count), squares(count);
  double mixed = 0;
  for (int i = 0; i < points; ++i) {
    harmonic_moments(order, random.direction(), y);
    for (int j = 0; j < count; ++j) squares[j] += y[j] * y[j] / points;
    mixed += y[5] * y[17] / points;
  }
  for (int l = 0; l <= order; ++l) {
    double sum = 0;  // over m: 1 for each direction, by the addition theorem
    for (int j = l * l; j < (l + 1) * (l + 1); ++j) sum += squares[j];
    EXPECT_NEAR(sum, 1, 1e-12);
  }
  EXPECT_NEAR(mixed, 0, 0.02);
}

TEST(Expansion, ZernikePolynomials) {
  const double r = 0.6, phi = 0.4;
  std::vector<double> z(15), radial(3);
  zernike_moments(4, r, phi, false, z);
  EXPECT_DOUBLE_EQ(z[0], 1);
  EXPECT_NEAR(z[1], r * std::sin(phi), 1e-15);
  EXPECT_NEAR(z[2], r * std::cos(phi), 1e-15);
  EXPECT_NEAR(z[4], 2 * r * r - 1, 1e-15);
  EXPECT_NEAR(z[7], (3 * r * r * r - 2 * r) * std::sin(phi), 1e-15);
  EXPECT_NEAR(z[12], 6 * std::pow(r, 4) - 6 * r * r + 1, 1e-15);
  EXPECT_NEAR(z[13], (4 * std::pow(r, 4) - 3 * r * r) * std::cos(2 * phi), 1e-15);
  zernike_moments(4, r, phi, true, radial);
  EXPECT_DOUBLE_EQ(radial[1], z[4]);
  EXPECT_DOUBLE_EQ(radial[2], z[12]);
  std::vector<double> high((most_zernike_order + 1) * (most_zernike_order + 2) / 2);
  zernike_moments(most_zernike_order, 1, 0, false, high);
  for (int n = 0, i = 0; n <= most_zernike_order; ++n)  // R_n^m(1) is 1
    for (int m = -n; m <= n; m += 2) EXPECT_NEAR(high[i++], m < 0 ? 0 : 1, 1e-9);
}

}  // namespace
}  // namespace taihu::neutron
