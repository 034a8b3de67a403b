// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/tally.h"
#include "taihu/neutron/tally/estimate.h"

#include <gtest/gtest.h>

#include "taihu/neutron/geometry/mesh_for_tests.h"
#include "taihu/neutron/particle/random.h"

namespace taihu::neutron {
namespace {

Mesh mesh_of(int dimensions) {
  Mesh mesh;
  mesh.dimensions = dimensions;
  for (int axis = 0; axis < dimensions; ++axis) {
    mesh.shape[axis] = 3 + axis;
    mesh.lower[axis] = -1 - axis;
    mesh.width[axis] = 0.7 + 0.2 * axis;
  }
  return mesh;
}

TEST(Mesh, PiecesOfAPathAreWhereItsPointsAre) {
  Stream random(3, StreamUse::source, 0, 0);
  for (const int dimensions : {1, 2, 3}) {
    const Mesh mesh = mesh_of(dimensions);
    for (int i = 0; i < 1000; ++i) {
      const Vector start{6 * random.uniform() - 3, 8 * random.uniform() - 4, 8 * random.uniform() - 4};
      Vector u = random.direction();
      if (i % 10 == 0) u = {0, 1, 0};
      const double length = 5 * random.uniform();
      expect_pieces_where_points_are(mesh, start, u, length, 2);
    }
  }
}

TEST(Estimate, OfFewRealizationsHasNoDeviation) {
  EXPECT_EQ(estimate(3, 9, 1).mean, 3);
  EXPECT_EQ(estimate(3, 9, 1).deviation, infinity);
  EXPECT_DOUBLE_EQ(estimate(3, 5, 2).mean, 1.5);
  EXPECT_DOUBLE_EQ(estimate(3, 5, 2).deviation, 0.5);  // of 1 and 2
}

/// Table values of Student's distribution.
TEST(Estimate, ConfidenceIntervalsAreStudents) {
  EXPECT_EQ(confidence_factor(1), 1);
  EXPECT_NEAR(confidence_factor(2), 12.706, 1e-3);
  EXPECT_NEAR(confidence_factor(3), 4.303, 1e-3);
  EXPECT_NEAR(confidence_factor(4), 3.182, 0.02);
  EXPECT_NEAR(confidence_factor(6), 2.571, 0.002);
  EXPECT_NEAR(confidence_factor(11), 2.228, 0.001);
  EXPECT_NEAR(confidence_factor(1000000), 1.960, 0.001);
}

}  // namespace
}  // namespace taihu::neutron
