// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/geometry/mesh.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "taihu/neutron/geometry/surface.h"

namespace taihu::neutron {
namespace {

/// Distances along the path at which it enters and leaves the mesh; first > second when it misses.
std::pair<double, double> overlap(const Mesh& mesh, const Vector& start, const Vector& u, double length) {
  double enter = 0, leave = length;
  for (int axis = 0; axis < mesh.dimensions; ++axis) {
    const double low = mesh.lower[axis] - start[axis];
    const double high = low + mesh.shape[axis] * mesh.width[axis];
    if (u[axis] == 0) {
      if (low > 0 || high <= 0) return {1, 0};
      continue;
    }
    const double first = low / u[axis], second = high / u[axis];
    enter = std::max(enter, std::min(first, second));
    leave = std::min(leave, std::max(first, second));
  }
  return {enter, leave};
}

/// Index of the cell with these coordinates, or -1. The last edge belongs to the last cell of an angle.
int index_between(const Mesh& mesh, const Vector& place) noexcept {
  int index = 0;
  for (int axis = mesh.dimensions - 1; axis >= 0; --axis) {
    const std::vector<double>& edges = mesh.edges[axis];
    const bool angle =
        mesh.type == MeshType::spherical ? axis > 0 : mesh.type == MeshType::cylindrical && axis == 1;
    if (!(place[axis] >= edges.front() &&
          (place[axis] < edges.back() || (angle && place[axis] <= edges.back()))))
      return -1;
    const auto above = std::upper_bound(edges.begin() + 1, edges.end() - 1, place[axis]) - edges.begin();
    index = index * mesh.shape[axis] + static_cast<int>(above) - 1;
  }
  return index;
}

/// The coordinate that divides the volume of a cell evenly: r^2 / 2 of cylinders, r^3 / 3 and -cos(theta) of
/// spheres, else the coordinate of the axis itself.
double even_coordinate(MeshType type, int axis, double place) noexcept {
  if (type == MeshType::cylindrical && axis == 0) return place * place / 2;
  if (type == MeshType::spherical && axis == 0) return place * place * place / 3;
  if (type == MeshType::spherical && axis == 1) return -std::cos(place);
  return place;
}

/// Its inverse.
double place_of_even(MeshType type, int axis, double even) noexcept {
  if (type == MeshType::cylindrical && axis == 0) return std::sqrt(2 * even);
  if (type == MeshType::spherical && axis == 0) return std::cbrt(3 * even);
  if (type == MeshType::spherical && axis == 1) return std::acos(std::clamp(-even, -1.0, 1.0));
  return even;
}

/// A place of a path where it passes an edge of an axis.
struct Cut {
  double at = 0;
  int axis = 0;
};

/// Where a path meets the planes across an axis.
void cut_planes(const Mesh& mesh, int axis, double start, double u, double length, std::vector<Cut>& cuts) {
  if (u == 0) return;
  const double end = start + u * length, low = std::min(start, end), high = std::max(start, end);
  int first = 0, last = mesh.shape[axis] + 1;
  if (mesh.type == MeshType::regular) {
    first = std::clamp(static_cast<int>(std::floor((low - mesh.lower[axis]) / mesh.width[axis])), 0, last);
    last = std::clamp(static_cast<int>(std::floor((high - mesh.lower[axis]) / mesh.width[axis])) + 2, first,
                      last);
  } else {
    const std::vector<double>& edges = mesh.edges[axis];
    first = static_cast<int>(std::lower_bound(edges.begin(), edges.end(), low) - edges.begin());
    last = static_cast<int>(std::upper_bound(edges.begin(), edges.end(), high) - edges.begin());
  }
  for (int i = first; i < last; ++i) {
    const double at = (mesh.edge(axis, i) - start) / u;
    if (at > 0 && at < length) cuts.push_back({at, axis});
  }
}

/// Where a path meets circles of the given radii: a t^2 + 2 b t + c = radius^2.
void cut_circles(const std::vector<double>& radii, int axis, double a, double b, double c, double length,
                 std::vector<Cut>& cuts) {
  if (a < 1e-20) return;  // along the axis of the cylinders
  const double nearest = std::clamp(-b / a, 0.0, length);
  const auto square = [&](double t) { return std::fmax(0.0, (a * t + 2 * b) * t + c); };
  const double least = std::sqrt(square(nearest)), most = std::sqrt(std::fmax(square(0), square(length)));
  for (auto radius = std::lower_bound(radii.begin(), radii.end(), least * (1 - 1e-12));
       radius != radii.end() && *radius <= most; ++radius) {
    const double root = b * b - a * (c - *radius * *radius);
    if (!(root > 0)) continue;
    for (const double t : {(-b - std::sqrt(root)) / a, (-b + std::sqrt(root)) / a})
      if (t > 0 && t < length) cuts.push_back({t, axis});
  }
}

/// Where a path meets half planes of angle phi about the z axis.
void cut_half_planes(const std::vector<double>& angles, int axis, const Vector& r, const Vector& u,
                     double length, bool closed, std::vector<Cut>& cuts) {
  for (std::size_t i = 0; i < angles.size() - (closed ? 1 : 0); ++i) {
    const double c = std::cos(angles[i]), s = std::sin(angles[i]);
    const double across = c * u.y - s * u.x;
    if (across == 0) continue;
    const double t = -(c * r.y - s * r.x) / across;
    if (t > 0 && t < length && c * (r.x + t * u.x) + s * (r.y + t * u.y) > 0) cuts.push_back({t, axis});
  }
}

/// Where a path meets cones of angle theta about the z axis.
void cut_cones(const std::vector<double>& angles, int axis, const Vector& r, const Vector& u, double length,
               std::vector<Cut>& cuts) {
  for (const double theta : angles) {
    const double cosine = std::cos(theta), square = cosine * cosine;
    if (std::fabs(cosine) < 1e-12) {  // a plane
      const double t = u.z == 0 ? -1 : -r.z / u.z;
      if (t > 0 && t < length) cuts.push_back({t, axis});
      continue;
    }
    // z^2 = cos^2 r^2, on the side of the sign of cos
    const double a = u.z * u.z - square * dot(u, u), b = r.z * u.z - square * dot(r, u),
                 c = r.z * r.z - square * dot(r, r);
    std::array<double, 2> roots{-1, -1};
    if (std::fabs(a) < 1e-14) {
      if (b != 0) roots[0] = -c / (2 * b);
    } else if (const double root = b * b - a * c; root > 0) {
      roots = {(-b - std::sqrt(root)) / a, (-b + std::sqrt(root)) / a};
    }
    for (const double t : roots)
      if (t > 0 && t < length && (r.z + t * u.z) * cosine >= 0) cuts.push_back({t, axis});
  }
}

/// All places where a path passes edges, in their order.
const std::vector<Cut>& cuts_of(const Mesh& mesh, const Vector& start, const Vector& u, double length) {
  static thread_local std::vector<Cut> cuts;  // kept, so that nothing is allocated while histories run
  cuts.clear();
  if (mesh.type <= MeshType::rectilinear) {
    for (int axis = 0; axis < mesh.dimensions; ++axis)
      cut_planes(mesh, axis, start[axis], u[axis], length, cuts);
  } else {
    const Vector r = start - mesh.origin;
    const bool cylinders = mesh.type == MeshType::cylindrical;
    const double z = cylinders ? 0 : 1;
    cut_circles(mesh.edges[0], 0, u.x * u.x + u.y * u.y + z * u.z * u.z,
                r.x * u.x + r.y * u.y + z * r.z * u.z, r.x * r.x + r.y * r.y + z * r.z * r.z, length, cuts);
    const int phi = cylinders ? 1 : 2;
    cut_half_planes(mesh.edges[phi], phi, r, u, length, mesh.is_closed(phi), cuts);
    if (cylinders)
      cut_planes(mesh, 2, r.z, u.z, length, cuts);
    else
      cut_cones(mesh.edges[1], 1, r, u, length, cuts);
  }
  std::sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.at < b.at; });
  return cuts;
}

/// Calls f(middle, begin, end, axis) for the stretches of a path between edges; `axis`: of the edge at the
/// stretch's end, -1 for the last one.
template <typename F>
void for_each_stretch(const Mesh& mesh, const Vector& start, const Vector& u, double length, const F& f) {
  double from = 0;
  for (const Cut& cut : cuts_of(mesh, start, u, length)) {
    f(start + 0.5 * (from + cut.at) * u, from, cut.at, cut.axis);
    from = cut.at;
  }
  f(start + 0.5 * (from + length) * u, from, length, -1);
}

}  // namespace

const char* name_of(MeshType type) noexcept {
  constexpr const char* names[] = {"regular", "rectilinear", "cylindrical", "spherical"};
  return names[static_cast<int>(type)];
}

Vector Mesh::coordinates(const Vector& point) const noexcept {
  if (type <= MeshType::rectilinear) return point;
  const Vector r = point - origin;
  double phi = std::atan2(r.y, r.x);
  if (phi < 0) phi += 2 * std::numbers::pi;
  if (type == MeshType::cylindrical) return {std::hypot(r.x, r.y), phi, r.z};
  const double distance = length(r);
  return {distance, distance > 0 ? std::acos(std::clamp(r.z / distance, -1.0, 1.0)) : 0, phi};
}

double Mesh::volume(int index) const noexcept {
  const int cell[] = {index % shape[0], index / shape[0] % shape[1], index / shape[0] / shape[1]};
  double product = 1;
  for (int axis = 0; axis < dimensions; ++axis)
    product *= even_coordinate(type, axis, edge(axis, cell[axis] + 1)) -
               even_coordinate(type, axis, edge(axis, cell[axis]));
  return product;
}

Vector Mesh::sample_point(int index, Stream& random) const noexcept {
  const int cell[] = {index % shape[0], index / shape[0] % shape[1], index / shape[0] / shape[1]};
  Vector place;
  for (int axis = 0; axis < dimensions; ++axis) {
    const double low = even_coordinate(type, axis, edge(axis, cell[axis]));
    const double high = even_coordinate(type, axis, edge(axis, cell[axis] + 1));
    place[axis] = place_of_even(type, axis, low + random.uniform() * (high - low));
  }
  if (type <= MeshType::rectilinear) return place;
  if (type == MeshType::cylindrical)
    return origin + Vector{place[0] * std::cos(place[1]), place[0] * std::sin(place[1]), place[2]};
  const double across = place[0] * std::sin(place[1]);
  return origin +
         Vector{across * std::cos(place[2]), across * std::sin(place[2]), place[0] * std::cos(place[1])};
}

bool Mesh::is_closed(int axis) const noexcept {
  const int phi = type == MeshType::cylindrical ? 1 : type == MeshType::spherical ? 2 : -1;
  return axis == phi && edges[axis].back() - edges[axis].front() >= 2 * std::numbers::pi * (1 - 1e-12);
}

int Mesh::index_of(const Vector& r) const noexcept {
  if (type != MeshType::regular) return index_between(*this, coordinates(r));
  int index = 0;
  for (int axis = dimensions - 1; axis >= 0; --axis) {
    const double place = (r[axis] - lower[axis]) / width[axis];
    if (!(place >= 0 && place < shape[axis])) return -1;
    index = index * shape[axis] + static_cast<int>(place);
  }
  return index;
}

void append_pieces(const Mesh& mesh, const Vector& start, const Vector& u, double length,
                   std::vector<MeshPiece>& pieces) {
  if (mesh.type != MeshType::regular) {
    for_each_stretch(mesh, start, u, length, [&](const Vector& middle, double from, double to, int) {
      if (const int index = mesh.index_of(middle); index >= 0) pieces.push_back({index, to - from});
    });
    return;
  }
  const auto [enter, leave] = overlap(mesh, start, u, length);
  if (!(enter < leave)) return;
  std::array<int, 3> cell{}, step{};
  std::array<double, 3> next{infinity, infinity, infinity}, gap{infinity, infinity, infinity};
  const Vector middle = start + (enter + 1e-12 * (leave - enter)) * u;
  for (int axis = 0; axis < mesh.dimensions; ++axis) {
    const double place = std::floor((middle[axis] - mesh.lower[axis]) / mesh.width[axis]);
    cell[axis] = std::clamp(static_cast<int>(place), 0, mesh.shape[axis] - 1);
    if (u[axis] == 0) continue;
    step[axis] = u[axis] > 0 ? 1 : -1;
    const double edge = mesh.lower[axis] + (cell[axis] + (step[axis] > 0 ? 1 : 0)) * mesh.width[axis];
    next[axis] = (edge - start[axis]) / u[axis];
    gap[axis] = mesh.width[axis] / std::fabs(u[axis]);
  }
  double at = enter;
  while (at < leave) {
    const int axis = next[0] <= next[1] ? (next[0] <= next[2] ? 0 : 2) : (next[1] <= next[2] ? 1 : 2);
    const double end = std::min(next[axis], leave);
    if (end > at) pieces.push_back({(cell[2] * mesh.shape[1] + cell[1]) * mesh.shape[0] + cell[0], end - at});
    at = std::max(at, end);
    if (!(next[axis] < leave)) return;
    cell[axis] += step[axis];
    if (cell[axis] < 0 || cell[axis] >= mesh.shape[axis]) return;
    next[axis] += gap[axis];
  }
}

void append_passages(const Mesh& mesh, const Vector& start, const Vector& u, double length,
                     std::vector<MeshPassage>& passages) {
  Vector before;
  int from = -1, across = -1;
  for_each_stretch(mesh, start, u, length, [&](const Vector& middle, double begin, double end, int axis) {
    if (!(end > begin) && axis >= 0 && across >= 0) {  // two edges at one place: the second counts from here
      across = axis;
      return;
    }
    const Vector here = mesh.coordinates(middle);
    const int to = mesh.index_of(middle);
    if (across >= 0 && from != to) {
      double step = here[across] - before[across];
      if (mesh.is_closed(across)) step = std::remainder(step, 2 * std::numbers::pi);
      if (from >= 0) passages.push_back({from, across, step > 0, false});
      if (to >= 0) passages.push_back({to, across, step < 0, true});
    }
    before = here, from = to, across = axis;
  });
}

}  // namespace taihu::neutron
