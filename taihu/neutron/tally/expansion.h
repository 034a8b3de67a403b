// SPDX-License-Identifier: Apache-2.0
// Filters whose bins are the moments of an expansion: each event counts in all of them, with the values of
// the functions as weights.
#pragma once

#include <span>

#include "taihu/neutron/particle/vector.h"

namespace taihu::neutron {

/// Legendre polynomials P_0 .. P_n of x, for values.size() = n + 1.
void legendre_moments(double x, std::span<double> values) noexcept;

/// Real spherical harmonics of a direction up to `order`, (order + 1)^2 values: l = 0 first, m from -l to l.
/// Normalized after Schmidt, with the phase (-1)^m of Condon and Shortley, as OpenMC has them.
void harmonic_moments(int order, const Vector& u, std::span<double> values) noexcept;

/// Zernike polynomials at (rho, phi) in the unit disc up to `order`, (order + 1)(order + 2) / 2 values: n = 0
/// first, m from -n to n in steps of 2; not normalized. `radial`: those with m = 0 alone, order / 2 + 1.
void zernike_moments(int order, double rho, double phi, bool radial, std::span<double> values) noexcept;

constexpr int most_harmonic_order = 10, most_zernike_order = 40;

}  // namespace taihu::neutron
