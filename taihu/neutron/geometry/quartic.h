// SPDX-License-Identifier: Apache-2.0
// Roots of polynomials up to degree four, found one interval between two extrema at a time. Slower than
// closed forms, but each root is bracketed, so that double and nearly double roots (rays that graze a torus)
// come out right.
#pragma once

#include <array>

namespace taihu::neutron {

/// Smallest root in (0, upper] of c[0] + c[1] x + ... + c[4] x^4, or a negative number when there is none.
double smallest_positive_root(const std::array<double, 5>& c, double upper) noexcept;

}  // namespace taihu::neutron
