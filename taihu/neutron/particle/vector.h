// SPDX-License-Identifier: Apache-2.0
// Points and directions in space, in centimetres.
#pragma once

#include <array>
#include <cmath>

namespace taihu::neutron {

/// A point or a direction.
struct Vector {
  double x = 0, y = 0, z = 0;

  double operator[](int axis) const noexcept { return axis == 0 ? x : axis == 1 ? y : z; }
  double& operator[](int axis) noexcept { return axis == 0 ? x : axis == 1 ? y : z; }
  Vector& operator+=(const Vector& other) noexcept {
    x += other.x, y += other.y, z += other.z;
    return *this;
  }
  Vector& operator-=(const Vector& other) noexcept {
    x -= other.x, y -= other.y, z -= other.z;
    return *this;
  }
};

inline Vector operator+(Vector a, const Vector& b) noexcept {
  return a += b;
}
inline Vector operator-(Vector a, const Vector& b) noexcept {
  return a -= b;
}
inline Vector operator*(double s, const Vector& a) noexcept {
  return {s * a.x, s * a.y, s * a.z};
}
inline double dot(const Vector& a, const Vector& b) noexcept {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vector cross(const Vector& a, const Vector& b) noexcept {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(const Vector& a) noexcept {
  return std::sqrt(dot(a, a));
}
inline Vector unit(const Vector& a) noexcept {
  return (1 / length(a)) * a;
}

/// 3 x 3 matrix by rows: a rotation.
using Rotation = std::array<double, 9>;

inline Vector rotate(const Rotation& m, const Vector& a) noexcept {
  return {m[0] * a.x + m[1] * a.y + m[2] * a.z, m[3] * a.x + m[4] * a.y + m[5] * a.z,
          m[6] * a.x + m[7] * a.y + m[8] * a.z};
}

/// Product with the transpose: undoes rotate().
inline Vector rotate_back(const Rotation& m, const Vector& a) noexcept {
  return {m[0] * a.x + m[3] * a.y + m[6] * a.z, m[1] * a.x + m[4] * a.y + m[7] * a.z,
          m[2] * a.x + m[5] * a.y + m[8] * a.z};
}

}  // namespace taihu::neutron
