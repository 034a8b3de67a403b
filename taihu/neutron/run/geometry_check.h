// SPDX-License-Identifier: Apache-2.0
// Looks for gaps and overlaps of a geometry at random points of a box.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "taihu/neutron/output/picture.h"
#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// In cm; low <= high along each axis.
struct Box {
  Vector low, high;
};

/// The smallest box around the boxes of the model's sources; none where a source is another one, or where
/// there is none.
std::optional<Box> box_of_sources(const Model& model);

struct GeometryCheck {
  std::int64_t faulty = 0;           ///< points in no cell, or in several of one universe
  std::vector<GeometryFault> first;  ///< the first of them, at most ten
};

/// Tries `points` points, the same ones for the same box and number.
GeometryCheck check_geometry(const Geometry& geometry, const Box& box, std::int64_t points);

/// Tries `points` points of straight rays that begin at the model's sources and end at its boundaries, the
/// same ones for the same number. Throws Error when the sources give no points.
GeometryCheck check_along_rays(const Model& model, std::int64_t points);

}  // namespace taihu::neutron
