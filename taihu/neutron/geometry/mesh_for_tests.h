// SPDX-License-Identifier: Apache-2.0
// The slow, obvious twin of append_pieces().
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "taihu/neutron/geometry/mesh.h"

namespace taihu::neutron {

/// The pieces of a path in each cell are as long as many points along it tell, up to so many of their
/// distances.
inline void expect_pieces_where_points_are(const Mesh& mesh, const Vector& start, const Vector& direction,
                                           double length, double distances) {
  std::vector<MeshPiece> pieces;
  append_pieces(mesh, start, direction, length, pieces);
  std::vector<double> exact(mesh.size()), plain(mesh.size());
  for (const MeshPiece& piece : pieces) exact[piece.index] += piece.length;
  constexpr int steps = 2000;
  for (int s = 0; s < steps; ++s)
    if (const int index = mesh.index_of(start + ((s + 0.5) / steps * length) * direction); index >= 0)
      plain[index] += length / steps;
  for (int index = 0; index < mesh.size(); ++index)
    EXPECT_NEAR(exact[index], plain[index], distances * length / steps)
        << name_of(mesh.type) << " cell " << index;
}

}  // namespace taihu::neutron
