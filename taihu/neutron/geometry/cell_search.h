// SPDX-License-Identifier: Apache-2.0
// The search for the cell of a universe that holds a point, as a tree of half-space tests.
//
// The plain search asks one cell after the other, so that in the water around a pin it asks for each cylinder
// twice. The tree asks for a surface at most once: what the tests above have found out is known below. Of
// parallel planes and of cylinders inside one another it asks for the one in the middle first. It finds the
// cell that the plain search would find, also where cells overlap.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "taihu/neutron/geometry/surface.h"

namespace taihu::neutron {

struct Geometry;

/// Where a search goes on: from 0 on with a test, else it has ended.
using SearchStep = std::int32_t;
constexpr SearchStep in_no_cell = -1;
constexpr SearchStep no_tree = std::numeric_limits<SearchStep>::min();
constexpr SearchStep found_cell(CellId cell) noexcept {
  return -2 - cell.index();
}

/// One test: on which side of a surface a point is. What the frequent surfaces need is here, so that their
/// search reads nothing else.
struct CellTest {
  enum class Kind : std::int32_t { axis_plane, z_cylinder, other };
  Kind kind = Kind::other;
  SurfaceId surface;
  int axis = 0;         ///< of a plane
  double x = 0, y = 0;  ///< of a cylinder's axis
  double bound = 0;     ///< where a plane is; the square of a cylinder's radius
  SearchStep if_negative = in_no_cell, if_positive = in_no_cell;
};

/// Goes through a tree from `step` on, which is not no_tree.
inline CellId search_tree(std::span<const CellTest> tests, std::span<const Surface> surfaces, SearchStep step,
                          const Vector& r) noexcept {
  const double place[] = {r.x, r.y, r.z};
  while (step >= 0) {
    const CellTest& test = tests[step];
    bool positive;  // as evaluate() > 0, whose last operation subtracts
    if (test.kind == CellTest::Kind::z_cylinder)
      positive = (r.x - test.x) * (r.x - test.x) + (r.y - test.y) * (r.y - test.y) > test.bound;
    else if (test.kind == CellTest::Kind::axis_plane)
      positive = place[test.axis] > test.bound;
    else
      positive = evaluate(surfaces[test.surface.index()], r) > 0;
    step = positive ? test.if_positive : test.if_negative;
  }
  return CellId(-2 - step);
}

/// Makes the trees of all universes, whose cells are known. Those of very many cells or surfaces get none.
void make_cell_searches(Geometry& geometry);

}  // namespace taihu::neutron
