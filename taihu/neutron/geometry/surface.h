// SPDX-License-Identifier: Apache-2.0
// Surfaces f(r) = 0 of second order and tori, with their boundary conditions.
//
// All second-order surfaces share one form of the ray equation, a d^2 + 2 k d + c = 0 with c = f(r). The root
// near zero is computed as c / t, so its sign is the sign of c: a point that is on one side by rounding alone
// never finds the surface that it has just crossed in front of it again.
#pragma once

#include <array>
#include <limits>
#include <string>

#include "taihu/neutron/particle/opaque_id.h"
#include "taihu/neutron/particle/vector.h"

namespace taihu::neutron {

constexpr double infinity = std::numeric_limits<double>::infinity();

enum class SurfaceType {
  x_plane,     ///< x0
  y_plane,     ///< y0
  z_plane,     ///< z0
  plane,       ///< A B C D of Ax + By + Cz = D
  x_cylinder,  ///< y0 z0 r
  y_cylinder,  ///< x0 z0 r
  z_cylinder,  ///< x0 y0 r
  sphere,      ///< x0 y0 z0 r
  x_cone,      ///< x0 y0 z0 r2 of (y-y0)^2 + (z-z0)^2 = r2 (x-x0)^2
  y_cone,
  z_cone,
  quadric,  ///< A B C D E F G H J K of Ax2+By2+Cz2+Dxy+Eyz+Fxz+Gx+Hy+Jz+K
  x_torus,  ///< x0 y0 z0 A B C: axis x, ring radius A, radii B along the axis and C across it
  y_torus,
  z_torus,
};

enum class Boundary { transmission, vacuum, reflective, periodic, white };

/// One surface. `coefficients` in the order that OpenMC's geometry.xml has.
struct Surface {
  SurfaceType type = SurfaceType::x_plane;
  Boundary boundary = Boundary::transmission;
  SurfaceId periodic_partner;  ///< where a particle comes in again
  int turn = -1;               ///< index of the turn to the partner; -1: it is parallel
  int id = 0;                  ///< the user's
  double albedo = 1;           ///< factor on the weight at a boundary that returns particles
  std::array<double, 10> coefficients{};
  std::string name;
};

/// Number of coefficients of a type.
int coefficient_count(SurfaceType type) noexcept;

/// Name of a type as the input files spell it ("z-cylinder").
const char* name_of(SurfaceType type) noexcept;
const char* name_of(Boundary boundary) noexcept;

/// evaluate() of the rarer types.
double evaluate_general(const Surface& surface, const Vector& r) noexcept;

/// f(r): negative inside of closed surfaces and below planes.
inline double evaluate(const Surface& s, const Vector& r) noexcept {
  const std::array<double, 10>& c = s.coefficients;
  switch (s.type) {
    case SurfaceType::x_plane:
      return r.x - c[0];
    case SurfaceType::y_plane:
      return r.y - c[0];
    case SurfaceType::z_plane:
      return r.z - c[0];
    case SurfaceType::plane:
      return c[0] * r.x + c[1] * r.y + c[2] * r.z - c[3];
    case SurfaceType::x_cylinder:
      return (r.y - c[0]) * (r.y - c[0]) + (r.z - c[1]) * (r.z - c[1]) - c[2] * c[2];
    case SurfaceType::y_cylinder:
      return (r.x - c[0]) * (r.x - c[0]) + (r.z - c[1]) * (r.z - c[1]) - c[2] * c[2];
    case SurfaceType::z_cylinder:
      return (r.x - c[0]) * (r.x - c[0]) + (r.y - c[1]) * (r.y - c[1]) - c[2] * c[2];
    case SurfaceType::sphere: {
      const Vector d{r.x - c[0], r.y - c[1], r.z - c[2]};
      return dot(d, d) - c[3] * c[3];
    }
    default:
      return evaluate_general(s, r);
  }
}

/// Smallest distance > 0 along `u` (a unit vector) to the surface; infinity when there is none.
double distance(const Surface& surface, const Vector& r, const Vector& u) noexcept;

/// Unit vector of the gradient of f at `r`.
Vector normal(const Surface& surface, const Vector& r) noexcept;

/// Whether the negative side is convex, so that two points on it see each other.
bool negative_side_is_convex(const Surface& surface) noexcept;

inline bool is_plane(const Surface& surface) noexcept {
  return surface.type <= SurfaceType::plane;
}

}  // namespace taihu::neutron
