// SPDX-License-Identifier: Apache-2.0
// Regions: Boolean expressions of half-spaces such as "-1 2 | ~(3 -4)".
//
// An expression is compiled into tests of half-spaces with jumps: each test says where to go on when the
// point is on its side and where when it is not. Complements are pushed down to the half-spaces (de Morgan),
// so evaluation needs no stack, only tests, and stops at the first test that decides.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "taihu/neutron/geometry/surface.h"

namespace taihu::neutron {

/// One test of a compiled region.
struct HalfSpaceTest {
  static constexpr int inside = -1;
  static constexpr int outside = -2;

  SurfaceId surface;
  bool positive = false;  ///< the side that holds: f > 0, else f <= 0
  int if_true = inside;   ///< index of the next test in the region, or inside / outside
  int if_false = outside;
};

/// Compiles an expression: surface ids with sign, blank (and), "|" (or), "~" (not), parentheses; "and" binds
/// stronger. An empty text is all of space: no tests. `index_of` maps a surface id to its index and may
/// throw. Throws Error with the position in the text when it is malformed.
std::vector<HalfSpaceTest> compile_region(const std::string& text,
                                          const std::function<SurfaceId(int)>& index_of);

/// Whether `r` is in the region.
inline bool contains(std::span<const HalfSpaceTest> tests, std::span<const Surface> surfaces,
                     const Vector& r) noexcept {
  int at = tests.empty() ? HalfSpaceTest::inside : 0;
  while (at >= 0) {
    const HalfSpaceTest& test = tests[at];
    at = (evaluate(surfaces[test.surface.index()], r) > 0) == test.positive ? test.if_true : test.if_false;
  }
  return at == HalfSpaceTest::inside;
}

}  // namespace taihu::neutron
