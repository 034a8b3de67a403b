// SPDX-License-Identifier: Apache-2.0
// Rectangular and hexagonal lattices: which element holds a point, where its centre is, how far its edge is.
//
// Hexagonal elements have two skewed indices a and b counted from the centre of the array; the hexagon number
// of an element is the number of rings that it is away from the middle. Orientation y: centre(a, b) = pitch *
// (a sqrt(3)/2, a/2 + b); orientation x: pitch * (a + b/2, b sqrt(3)/2).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "taihu/neutron/particle/opaque_id.h"
#include "taihu/neutron/particle/vector.h"

namespace taihu::neutron {

enum class LatticeType { rectangular, hexagonal_y, hexagonal_x };

struct Lattice {
  LatticeType type = LatticeType::rectangular;
  int id = 0;
  bool is_3d = false;
  std::array<int, 3> shape{1, 1, 1};  ///< elements along x, y, z; hexagonal: 2 rings - 1, 2 rings - 1, layers
  Vector origin;                      ///< lower left corner; hexagonal: the centre
  Vector pitch;                       ///< hexagonal: x is the distance of centres, z the height of a layer
  UniverseId outer;                   ///< around the elements
  /// By (z * shape[1] + y) * shape[0] + x; none at the corners that a hexagonal lattice leaves empty.
  std::vector<UniverseId> universes;
  std::string name;

  int rings() const noexcept { return (shape[0] + 1) / 2; }
};

/// Indices of the element that holds `r`; may be outside of the lattice's shape.
std::array<int, 3> element_at(const Lattice& lattice, const Vector& r) noexcept;

/// Flat index of an element, or -1 when it is outside of the lattice.
int flat_index(const Lattice& lattice, const std::array<int, 3>& element) noexcept;

/// Centre of an element, the origin of the universe that fills it. In directions without elements (2-D
/// lattices) the coordinate is 0.
Vector element_centre(const Lattice& lattice, const std::array<int, 3>& element) noexcept;

/// Distance from `local` (relative to the element's centre) along `u` to the element's edge.
double distance_to_edge(const Lattice& lattice, const Vector& local, const Vector& u) noexcept;

/// Indices of the elements of one layer of a hexagonal lattice in the order of the input file: rows from top
/// to bottom, each from left to right.
std::vector<std::array<int, 2>> hexagonal_order(LatticeType type, int rings);

}  // namespace taihu::neutron
