// SPDX-License-Identifier: Apache-2.0
// Regular meshes of one to three dimensions.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "taihu/neutron/particle/vector.h"

namespace taihu::neutron {

struct RegularMesh {
  int id = 0;
  int dimensions = 3;  ///< mesh cells are infinite along the further axes
  std::array<int, 3> shape{1, 1, 1};
  Vector lower, width;
  std::string name;

  int size() const noexcept { return shape[0] * shape[1] * shape[2]; }
  Vector upper() const noexcept {
    return {lower.x + shape[0] * width.x, lower.y + shape[1] * width.y, lower.z + shape[2] * width.z};
  }

  /// Index of the mesh cell that holds `r` (x runs fastest), or -1.
  int index_of(const Vector& r) const noexcept;
};

/// Part of a path in one mesh cell.
struct MeshPiece {
  int index = 0;
  double length = 0;
};

/// Appends the pieces of the path from `start` along `u`, `length` long, that lie in the mesh.
void append_pieces(const RegularMesh& mesh, const Vector& start, const Vector& u, double length,
                   std::vector<MeshPiece>& pieces);

}  // namespace taihu::neutron
