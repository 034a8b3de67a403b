// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/geometry/surface.h"

#include "taihu/neutron/geometry/quartic.h"

namespace taihu::neutron {
namespace {

/// Smallest positive root of a d^2 + 2 k d + c.
double quadratic_distance(double a, double k, double c) noexcept {
  if (a == 0) {
    const double d = k == 0 ? -1 : -c / (2 * k);
    return d > 0 ? d : infinity;
  }
  if (a > 0 && c > 0 && k >= 0) return infinity;  // both roots are behind
  const double square = k * k - a * c;
  if (square < 0) return infinity;
  const double t = k > 0 ? -(k + std::sqrt(square)) : -k + std::sqrt(square);
  if (a > 0 && c < 0) {  // one root on each side
    const double d = k > 0 ? c / t : t / a;
    return d > 0 ? d : infinity;
  }
  const double first = t / a, second = t == 0 ? -1 : c / t;
  const double low = first < second ? first : second, high = first < second ? second : first;
  return low > 0 ? low : high > 0 ? high : infinity;
}

/// Axis of the families that have one along x, y or z.
int axis_of(SurfaceType type) noexcept {
  switch (type) {
    case SurfaceType::x_plane:
    case SurfaceType::x_cylinder:
    case SurfaceType::x_cone:
    case SurfaceType::x_torus:
      return 0;
    case SurfaceType::y_plane:
    case SurfaceType::y_cylinder:
    case SurfaceType::y_cone:
    case SurfaceType::y_torus:
      return 1;
    default:
      return 2;
  }
}

/// Distance to an infinite cylinder around an axis, with p, q the point and v, w the direction across it.
double cylinder_distance(double p, double q, double v, double w, double radius) noexcept {
  return quadratic_distance(v * v + w * w, p * v + q * w, p * p + q * q - radius * radius);
}

/// The point relative to the centre, permuted so that the axis of the surface is z.
Vector local(const Surface& s, const Vector& r) noexcept {
  const Vector d{r.x - s.coefficients[0], r.y - s.coefficients[1], r.z - s.coefficients[2]};
  const int axis = axis_of(s.type);
  return axis == 0 ? Vector{d.y, d.z, d.x} : axis == 1 ? Vector{d.z, d.x, d.y} : d;
}

Vector permuted(int axis, const Vector& u) noexcept {
  return axis == 0 ? Vector{u.y, u.z, u.x} : axis == 1 ? Vector{u.z, u.x, u.y} : u;
}

Vector permuted_back(int axis, const Vector& u) noexcept {
  return axis == 0 ? Vector{u.z, u.x, u.y} : axis == 1 ? Vector{u.y, u.z, u.x} : u;
}

double quadric_value(const std::array<double, 10>& c, const Vector& r) noexcept {
  return r.x * (c[0] * r.x + c[3] * r.y + c[5] * r.z + c[6]) + r.y * (c[1] * r.y + c[4] * r.z + c[7]) +
         r.z * (c[2] * r.z + c[8]) + c[9];
}

Vector quadric_gradient(const std::array<double, 10>& c, const Vector& r) noexcept {
  return {2 * c[0] * r.x + c[3] * r.y + c[5] * r.z + c[6], 2 * c[1] * r.y + c[3] * r.x + c[4] * r.z + c[7],
          2 * c[2] * r.z + c[4] * r.y + c[5] * r.x + c[8]};
}

double quadric_distance(const std::array<double, 10>& c, const Vector& r, const Vector& u) noexcept {
  const double a =
      u.x * (c[0] * u.x + c[3] * u.y + c[5] * u.z) + u.y * (c[1] * u.y + c[4] * u.z) + c[2] * u.z * u.z;
  return quadratic_distance(a, 0.5 * dot(quadric_gradient(c, r), u), quadric_value(c, r));
}

/// Torus in the local frame: z^2/B^2 + (rho - A)^2/C^2 = 1, squared into the quartic
/// (z^2/B^2 + (rho^2 + A^2)/C^2 - 1)^2 = 4 A^2 rho^2 / C^4 along the ray.
double torus_distance(const Surface& s, const Vector& r, const Vector& u) noexcept {
  const double ring = s.coefficients[3], along = s.coefficients[4], across = s.coefficients[5];
  Vector p = local(s, r);
  const Vector v = permuted(axis_of(s.type), u);
  // Start where the ray is nearest to the centre's bounding sphere, so that the polynomial is well scaled.
  const double reach = ring + std::fmax(along, across) * 1.0001;
  const double middle = -dot(p, v), half_square = reach * reach - (dot(p, p) - middle * middle);
  if (half_square <= 0) return infinity;
  const double half = std::sqrt(half_square), start = std::fmax(0.0, middle - half), end = middle + half;
  if (end <= 0) return infinity;
  p += start * v;
  const double b2 = 1 / (along * along), c2 = 1 / (across * across);
  const double e2 = v.z * v.z * b2 + (v.x * v.x + v.y * v.y) * c2;
  const double e1 = 2 * (p.z * v.z * b2 + (p.x * v.x + p.y * v.y) * c2);
  const double e0 = p.z * p.z * b2 + (p.x * p.x + p.y * p.y + ring * ring) * c2 - 1;
  const double f = 4 * ring * ring * c2 * c2;
  const double f2 = f * (v.x * v.x + v.y * v.y), f1 = 2 * f * (p.x * v.x + p.y * v.y);
  const double f0 = f * (p.x * p.x + p.y * p.y);
  const double root = smallest_positive_root(
      {e0 * e0 - f0, 2 * e0 * e1 - f1, e1 * e1 + 2 * e0 * e2 - f2, 2 * e1 * e2, e2 * e2}, end - start);
  return root > 0 ? start + root : infinity;
}

double cone_distance(const Surface& s, const Vector& r, const Vector& u) noexcept {
  const Vector p = local(s, r), v = permuted(axis_of(s.type), u);
  const double slope = s.coefficients[3];
  return quadratic_distance(v.x * v.x + v.y * v.y - slope * v.z * v.z,
                            p.x * v.x + p.y * v.y - slope * p.z * v.z,
                            p.x * p.x + p.y * p.y - slope * p.z * p.z);
}

double plane_distance(double gap, double speed) noexcept {
  const double d = speed == 0 ? -1 : gap / speed;
  return d > 0 ? d : infinity;
}

Vector torus_gradient(const Surface& s, const Vector& r) noexcept {
  const Vector p = local(s, r);
  const double rho = std::hypot(p.x, p.y), along = s.coefficients[4], across = s.coefficients[5];
  const double factor = rho == 0 ? 0 : (rho - s.coefficients[3]) / (rho * across * across);
  return permuted_back(axis_of(s.type), {p.x * factor, p.y * factor, p.z / (along * along)});
}

}  // namespace

int coefficient_count(SurfaceType type) noexcept {
  switch (type) {
    case SurfaceType::x_plane:
    case SurfaceType::y_plane:
    case SurfaceType::z_plane:
      return 1;
    case SurfaceType::x_cylinder:
    case SurfaceType::y_cylinder:
    case SurfaceType::z_cylinder:
      return 3;
    case SurfaceType::quadric:
      return 10;
    case SurfaceType::x_torus:
    case SurfaceType::y_torus:
    case SurfaceType::z_torus:
      return 6;
    default:
      return 4;
  }
}

const char* name_of(SurfaceType type) noexcept {
  constexpr const char* names[] = {"x-plane",    "y-plane",    "z-plane", "plane",   "x-cylinder",
                                   "y-cylinder", "z-cylinder", "sphere",  "x-cone",  "y-cone",
                                   "z-cone",     "quadric",    "x-torus", "y-torus", "z-torus"};
  return names[static_cast<int>(type)];
}

const char* name_of(Boundary boundary) noexcept {
  constexpr const char* names[] = {"transmission", "vacuum", "reflective", "periodic", "white"};
  return names[static_cast<int>(boundary)];
}

double evaluate_general(const Surface& s, const Vector& r) noexcept {
  const std::array<double, 10>& c = s.coefficients;
  switch (s.type) {
    case SurfaceType::x_cone:
    case SurfaceType::y_cone:
    case SurfaceType::z_cone: {
      const Vector p = local(s, r);
      return p.x * p.x + p.y * p.y - c[3] * p.z * p.z;
    }
    case SurfaceType::quadric:
      return quadric_value(c, r);
    default: {
      const Vector p = local(s, r);
      const double rho = std::hypot(p.x, p.y) - c[3];
      return p.z * p.z / (c[4] * c[4]) + rho * rho / (c[5] * c[5]) - 1;
    }
  }
}

double distance(const Surface& s, const Vector& r, const Vector& u) noexcept {
  const std::array<double, 10>& c = s.coefficients;
  switch (s.type) {
    case SurfaceType::x_plane:
      return plane_distance(c[0] - r.x, u.x);
    case SurfaceType::y_plane:
      return plane_distance(c[0] - r.y, u.y);
    case SurfaceType::z_plane:
      return plane_distance(c[0] - r.z, u.z);
    case SurfaceType::plane:
      return plane_distance(c[3] - c[0] * r.x - c[1] * r.y - c[2] * r.z,
                            c[0] * u.x + c[1] * u.y + c[2] * u.z);
    case SurfaceType::x_cylinder:
      return cylinder_distance(r.y - c[0], r.z - c[1], u.y, u.z, c[2]);
    case SurfaceType::y_cylinder:
      return cylinder_distance(r.x - c[0], r.z - c[1], u.x, u.z, c[2]);
    case SurfaceType::z_cylinder:
      return cylinder_distance(r.x - c[0], r.y - c[1], u.x, u.y, c[2]);
    case SurfaceType::sphere: {
      const Vector d{r.x - c[0], r.y - c[1], r.z - c[2]};
      return quadratic_distance(1, dot(d, u), dot(d, d) - c[3] * c[3]);
    }
    case SurfaceType::x_cone:
    case SurfaceType::y_cone:
    case SurfaceType::z_cone:
      return cone_distance(s, r, u);
    case SurfaceType::quadric:
      return quadric_distance(c, r, u);
    default:
      return torus_distance(s, r, u);
  }
}

Vector normal(const Surface& s, const Vector& r) noexcept {
  const std::array<double, 10>& c = s.coefficients;
  switch (s.type) {
    case SurfaceType::x_plane:
      return {1, 0, 0};
    case SurfaceType::y_plane:
      return {0, 1, 0};
    case SurfaceType::z_plane:
      return {0, 0, 1};
    case SurfaceType::plane:
      return unit({c[0], c[1], c[2]});
    case SurfaceType::x_cylinder:
      return unit({0, r.y - c[0], r.z - c[1]});
    case SurfaceType::y_cylinder:
      return unit({r.x - c[0], 0, r.z - c[1]});
    case SurfaceType::z_cylinder:
      return unit({r.x - c[0], r.y - c[1], 0});
    case SurfaceType::sphere:
      return unit({r.x - c[0], r.y - c[1], r.z - c[2]});
    case SurfaceType::x_cone:
    case SurfaceType::y_cone:
    case SurfaceType::z_cone: {
      const Vector p = local(s, r);
      return unit(permuted_back(axis_of(s.type), {p.x, p.y, -c[3] * p.z}));
    }
    case SurfaceType::quadric:
      return unit(quadric_gradient(c, r));
    default:
      return unit(torus_gradient(s, r));
  }
}

bool negative_side_is_convex(const Surface& s) noexcept {
  switch (s.type) {
    case SurfaceType::x_cylinder:
    case SurfaceType::y_cylinder:
    case SurfaceType::z_cylinder:
    case SurfaceType::sphere:
      return true;
    default:
      return is_plane(s);
  }
}

}  // namespace taihu::neutron
