// SPDX-License-Identifier: Apache-2.0
// Meshes of tallies and sources: regular ones of one to three dimensions, and those whose cells lie between
// planes, cylinders or spheres at given places.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "taihu/neutron/particle/random.h"
#include "taihu/neutron/particle/vector.h"

namespace taihu::neutron {

enum class MeshType { regular, rectilinear, cylindrical, spherical };

const char* name_of(MeshType type) noexcept;

struct Mesh {
  int id = 0;
  MeshType type = MeshType::regular;
  int dimensions = 3;  ///< mesh cells are infinite along the further axes
  std::array<int, 3> shape{1, 1, 1};
  Vector lower, width;                       ///< regular
  std::array<std::vector<double>, 3> edges;  ///< other types, rising: x, y, z; r, phi, z; r, theta, phi
  Vector origin;                             ///< cylindrical, spherical
  std::string name;

  int size() const noexcept { return shape[0] * shape[1] * shape[2]; }
  /// Of a regular one.
  Vector upper() const noexcept {
    return {lower.x + shape[0] * width.x, lower.y + shape[1] * width.y, lower.z + shape[2] * width.z};
  }
  /// Edge i of an axis, from 0 to shape[axis].
  double edge(int axis, int i) const noexcept {
    return type == MeshType::regular ? lower[axis] + i * width[axis] : edges[axis][i];
  }

  /// Index of the mesh cell that holds `r` (the first axis runs fastest), or -1.
  int index_of(const Vector& r) const noexcept;
  /// The place of `r` along the axes: x, y, z, or r, phi, z, or r, theta, phi; angles from 0 on.
  Vector coordinates(const Vector& r) const noexcept;
  /// Of a cell [cm^3]; of one that is infinite along an axis, for each cm of it.
  double volume(int index) const noexcept;
  /// A point of a cell, evenly distributed in its volume; at 0 along axes in which the cells are infinite.
  Vector sample_point(int index, Stream& random) const noexcept;
  /// Whether phi goes all around.
  bool is_closed(int axis) const noexcept;
};

/// Part of a path in one mesh cell.
struct MeshPiece {
  int index = 0;
  double length = 0;
};

/// Appends the pieces of the path from `start` along `u`, `length` long, that lie in the mesh.
void append_pieces(const Mesh& mesh, const Vector& start, const Vector& u, double length,
                   std::vector<MeshPiece>& pieces);

/// A passage through a face of a mesh cell.
struct MeshPassage {
  int index = 0;          ///< of the cell
  int axis = 0;           ///< that the face is across
  bool upper = false;     ///< the face at the cell's upper edge
  bool incoming = false;  ///< into the cell
};

/// Appends the passages of a path, each face from both of its cells.
void append_passages(const Mesh& mesh, const Vector& start, const Vector& u, double length,
                     std::vector<MeshPassage>& passages);

}  // namespace taihu::neutron
