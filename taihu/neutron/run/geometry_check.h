// SPDX-License-Identifier: Apache-2.0
// Looks for gaps and overlaps of a geometry at random points of a box.
#pragma once

#include <cstdint>
#include <vector>

#include "taihu/neutron/output/picture.h"
#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// In cm; low <= high along each axis.
struct Box {
  Vector low, high;
};

/// The smallest box around the boxes of the model's sources. Throws UsageError where a source is none, or
/// where there is no source.
Box box_of_sources(const Model& model);

struct GeometryCheck {
  std::int64_t faulty = 0;           ///< points in no cell, or in several of one universe
  std::vector<GeometryFault> first;  ///< the first of them, at most ten
};

/// Tries `points` points, the same ones for the same box and number.
GeometryCheck check_geometry(const Geometry& geometry, const Box& box, std::int64_t points);

}  // namespace taihu::neutron
