// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/geometry/lattice.h"

#include <algorithm>
#include <cstdlib>

#include "taihu/neutron/geometry/surface.h"

namespace taihu::neutron {
namespace {

constexpr double half_root3 = 0.86602540378443864676;

/// Centre of hexagon (a, b), both relative to the middle one, for pitch 1.
std::array<double, 2> hexagon_centre(LatticeType type, double a, double b) noexcept {
  if (type == LatticeType::hexagonal_y) return {half_root3 * a, 0.5 * a + b};
  return {a + 0.5 * b, half_root3 * b};
}

/// The hexagon whose centre is nearest to (x, y), in units of the pitch.
std::array<int, 2> nearest_hexagon(LatticeType type, double x, double y) noexcept {
  const bool along_y = type == LatticeType::hexagonal_y;
  const double a = along_y ? x / half_root3 : x - 0.5 * y / half_root3;
  const double b = along_y ? y - 0.5 * x / half_root3 : y / half_root3;
  const int low_a = static_cast<int>(std::floor(a)), low_b = static_cast<int>(std::floor(b));
  std::array<int, 2> best{low_a, low_b};
  double best_square = infinity;
  for (int i = 0; i < 4; ++i) {
    const int try_a = low_a + (i & 1), try_b = low_b + (i >> 1);
    const auto [cx, cy] = hexagon_centre(type, try_a, try_b);
    const double square = (x - cx) * (x - cx) + (y - cy) * (y - cy);
    if (square < best_square) best_square = square, best = {try_a, try_b};
  }
  return best;
}

/// Distance along a ray to the nearer of two parallel planes at +-half, with position and speed across them.
double slab_distance(double position, double speed, double half) noexcept {
  if (speed == 0) return infinity;
  return std::max(0.0, ((speed > 0 ? half : -half) - position) / speed);
}

/// A point just at the upper edge of all elements is in the last one: it would be in no element, although the
/// cell that the lattice fills has it.
int index_along(double position, double origin, double pitch, int count) noexcept {
  const double place = (position - origin) / pitch;
  if (!(std::fabs(place) < 1e9)) return -1;
  const int whole = static_cast<int>(place);
  const int element = place < whole ? whole - 1 : whole;  // rounded down, without a call
  if (element == count && position <= origin + count * pitch) [[unlikely]]
    return count - 1;
  return element;
}

}  // namespace

std::array<int, 3> element_at(const Lattice& lattice, const Vector& r) noexcept {
  if (lattice.type == LatticeType::rectangular)
    return {index_along(r.x, lattice.origin.x, lattice.pitch.x, lattice.shape[0]),
            index_along(r.y, lattice.origin.y, lattice.pitch.y, lattice.shape[1]),
            lattice.is_3d ? index_along(r.z, lattice.origin.z, lattice.pitch.z, lattice.shape[2]) : 0};
  const auto [a, b] = nearest_hexagon(lattice.type, (r.x - lattice.origin.x) / lattice.pitch.x,
                                      (r.y - lattice.origin.y) / lattice.pitch.x);
  const double bottom = lattice.origin.z - 0.5 * lattice.shape[2] * lattice.pitch.z;
  return {a + lattice.rings() - 1, b + lattice.rings() - 1,
          lattice.is_3d ? index_along(r.z, bottom, lattice.pitch.z, lattice.shape[2]) : 0};
}

int flat_index(const Lattice& lattice, const std::array<int, 3>& element) noexcept {
  for (int axis = 0; axis < 3; ++axis)
    if (element[axis] < 0 || element[axis] >= lattice.shape[axis]) return -1;
  const int index = (element[2] * lattice.shape[1] + element[1]) * lattice.shape[0] + element[0];
  return lattice.universes[index] ? index : -1;
}

Vector element_centre(const Lattice& lattice, const std::array<int, 3>& element) noexcept {
  if (lattice.type == LatticeType::rectangular)
    return {lattice.origin.x + (element[0] + 0.5) * lattice.pitch.x,
            lattice.origin.y + (element[1] + 0.5) * lattice.pitch.y,
            lattice.is_3d ? lattice.origin.z + (element[2] + 0.5) * lattice.pitch.z : 0};
  const int middle = lattice.rings() - 1;
  const auto [x, y] = hexagon_centre(lattice.type, element[0] - middle, element[1] - middle);
  return {
      lattice.origin.x + lattice.pitch.x * x, lattice.origin.y + lattice.pitch.x * y,
      lattice.is_3d ? lattice.origin.z + (element[2] + 0.5 - 0.5 * lattice.shape[2]) * lattice.pitch.z : 0};
}

double distance_to_edge(const Lattice& lattice, const Vector& p, const Vector& u) noexcept {
  double d = lattice.is_3d ? slab_distance(p.z, u.z, 0.5 * lattice.pitch.z) : infinity;
  const double half = 0.5 * lattice.pitch.x;
  if (lattice.type == LatticeType::rectangular)
    return std::min(d,
                    std::min(slab_distance(p.x, u.x, half), slab_distance(p.y, u.y, 0.5 * lattice.pitch.y)));
  const bool along_y = lattice.type == LatticeType::hexagonal_y;
  // Normals of the three pairs of sides: towards the neighbours (1,0), (0,1) and (1,-1).
  const double normals[3][2] = {{along_y ? half_root3 : 1, along_y ? 0.5 : 0},
                                {along_y ? 0 : 0.5, along_y ? 1 : half_root3},
                                {along_y ? half_root3 : 0.5, along_y ? -0.5 : -half_root3}};
  for (const auto& n : normals)
    d = std::min(d, slab_distance(p.x * n[0] + p.y * n[1], u.x * n[0] + u.y * n[1], half));
  return d;
}

std::vector<std::array<int, 2>> hexagonal_order(LatticeType type, int rings) {
  std::vector<std::array<int, 2>> order;
  for (int a = 1 - rings; a < rings; ++a)
    for (int b = 1 - rings; b < rings; ++b)
      if (std::abs(a + b) < rings) order.push_back({a + rings - 1, b + rings - 1});
  // Twice the height of a centre in units of its row spacing, and the place in the row, both as whole
  // numbers.
  const auto key = [&](const std::array<int, 2>& e) {
    const int a = e[0] - rings + 1, b = e[1] - rings + 1;
    return type == LatticeType::hexagonal_y ? std::array<int, 2>{-(a + 2 * b), a}
                                            : std::array<int, 2>{-b, 2 * a + b};
  };
  std::sort(order.begin(), order.end(), [&](const auto& p, const auto& q) { return key(p) < key(q); });
  return order;
}

}  // namespace taihu::neutron
