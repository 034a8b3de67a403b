// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/mesh.h"

#include <algorithm>
#include <cmath>

#include "taihu/neutron/geometry/surface.h"

namespace taihu::neutron {
namespace {

/// Distances along the path at which it enters and leaves the mesh; first > second when it misses.
std::pair<double, double> overlap(const RegularMesh& mesh, const Vector& start, const Vector& u,
                                  double length) {
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

}  // namespace

int RegularMesh::index_of(const Vector& r) const noexcept {
  int index = 0;
  for (int axis = dimensions - 1; axis >= 0; --axis) {
    const double place = std::floor((r[axis] - lower[axis]) / width[axis]);
    if (!(place >= 0 && place < shape[axis])) return -1;
    index = index * shape[axis] + static_cast<int>(place);
  }
  return index;
}

void append_pieces(const RegularMesh& mesh, const Vector& start, const Vector& u, double length,
                   std::vector<MeshPiece>& pieces) {
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

}  // namespace taihu::neutron
