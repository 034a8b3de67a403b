// SPDX-License-Identifier: Apache-2.0
// Every surface against a plain reference: the sign of f sampled in small steps along the ray.
#include "taihu/neutron/geometry/surface.h"

#include <gtest/gtest.h>

#include "taihu/neutron/particle/random.h"

namespace taihu::neutron {
namespace {

Surface make(SurfaceType type, std::array<double, 10> coefficients) {
  Surface surface;
  surface.type = type;
  surface.coefficients = coefficients;
  return surface;
}

const Surface all_surfaces[] = {
    make(SurfaceType::x_plane, {0.7}),
    make(SurfaceType::y_plane, {-1.2}),
    make(SurfaceType::z_plane, {0.1}),
    make(SurfaceType::plane, {1, -2, 0.5, 0.8}),
    make(SurfaceType::x_cylinder, {0.3, -0.4, 1.1}),
    make(SurfaceType::y_cylinder, {0.2, 0.5, 0.9}),
    make(SurfaceType::z_cylinder, {-0.6, 0.1, 1.4}),
    make(SurfaceType::sphere, {0.5, 0.2, -0.3, 1.6}),
    make(SurfaceType::x_cone, {0.3, 0.1, -0.2, 0.5}),
    make(SurfaceType::y_cone, {0.1, -0.3, 0.4, 1.5}),
    make(SurfaceType::z_cone, {-0.1, 0.2, 0.3, 0.8}),
    make(SurfaceType::quadric, {1, 2, -0.7, 0.3, -0.2, 0.4, 0.1, -0.5, 0.2, -1.5}),
    make(SurfaceType::x_torus, {0.1, -0.2, 0.3, 1.5, 0.4, 0.6}),
    make(SurfaceType::y_torus, {-0.3, 0.2, 0.1, 1.2, 0.7, 0.3}),
    make(SurfaceType::z_torus, {0.2, 0.1, -0.1, 1.4, 0.5, 0.5}),
};

/// Distance to the first change of sign in steps of `step`, refined by bisection.
double plain_distance(const Surface& surface, const Vector& r, const Vector& u, double reach, double step) {
  const bool side = evaluate(surface, r) > 0;
  for (double d = step; d < reach; d += step) {
    if ((evaluate(surface, r + d * u) > 0) == side) continue;
    double low = d - step, high = d;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      ((evaluate(surface, r + middle * u) > 0) == side ? low : high) = middle;
    }
    return high;
  }
  return infinity;
}

class EverySurface : public testing::TestWithParam<Surface> {};

TEST_P(EverySurface, DistanceIsWhereTheSignChanges) {
  const Surface& surface = GetParam();
  Stream random(1, StreamUse::source, 0, 0);
  int hits = 0;
  for (int i = 0; i < 400; ++i) {
    const Vector r{6 * random.uniform() - 3, 6 * random.uniform() - 3, 6 * random.uniform() - 3};
    const Vector u = random.direction();
    constexpr double step = 0.002, reach = 8;
    const double plain = plain_distance(surface, r, u, reach, step);
    const double exact = distance(surface, r, u);
    EXPECT_GT(exact, 0);
    if (plain == infinity) {
      // A ray may graze a surface within one step without the plain search seeing it.
      if (exact < reach - step) {
        EXPECT_EQ(evaluate(surface, r + (exact - step) * u) > 0,
                  evaluate(surface, r + (exact + step) * u) > 0);
      }
      continue;
    }
    ++hits;
    if (exact < plain - step) {
      EXPECT_EQ(evaluate(surface, r + (exact - step) * u) > 0, evaluate(surface, r + (exact + step) * u) > 0);
    } else {
      EXPECT_NEAR(exact, plain, 1e-7);
    }
  }
  EXPECT_GT(hits, 20);
}

TEST_P(EverySurface, NormalIsTheGradient) {
  const Surface& surface = GetParam();
  Stream random(2, StreamUse::source, 0, 0);
  for (int i = 0; i < 100; ++i) {
    const Vector r{4 * random.uniform() - 2, 4 * random.uniform() - 2, 4 * random.uniform() - 2};
    const double h = 1e-6;
    const Vector gradient{evaluate(surface, r + Vector{h, 0, 0}) - evaluate(surface, r - Vector{h, 0, 0}),
                          evaluate(surface, r + Vector{0, h, 0}) - evaluate(surface, r - Vector{0, h, 0}),
                          evaluate(surface, r + Vector{0, 0, h}) - evaluate(surface, r - Vector{0, 0, h})};
    EXPECT_NEAR(dot(unit(gradient), normal(surface, r)), 1, 1e-6);
  }
}

TEST_P(EverySurface, IsNotMetAgainRightAfterItWasCrossed) {
  const Surface& surface = GetParam();
  Stream random(3, StreamUse::source, 0, 0);
  for (int i = 0; i < 1000; ++i) {
    const Vector r{6 * random.uniform() - 3, 6 * random.uniform() - 3, 6 * random.uniform() - 3};
    const Vector u = random.direction();
    const double d = distance(surface, r, u);
    if (d == infinity || std::fabs(dot(normal(surface, r + d * u), u)) < 1e-3) continue;
    const Vector behind = r + (d + 1e-9) * u;
    EXPECT_NE(evaluate(surface, r) > 0, evaluate(surface, behind) > 0);
    EXPECT_GT(distance(surface, behind, u), 1e-8);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EverySurface, testing::ValuesIn(all_surfaces), [](const auto& info) {
  std::string name = name_of(info.param.type);
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

TEST(Surface, HasNoDistanceAlongAParallelRay) {
  EXPECT_EQ(distance(all_surfaces[0], {0, 0, 0}, {0, 1, 0}), infinity);
  EXPECT_EQ(distance(all_surfaces[6], {0, 0, 0}, {0, 0, 1}), infinity);
  EXPECT_EQ(distance(all_surfaces[0], {1, 0, 0}, {1, 0, 0}), infinity);
}

}  // namespace
}  // namespace taihu::neutron
