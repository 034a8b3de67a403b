// SPDX-License-Identifier: Apache-2.0
// Pictures: slices of the geometry, maps of mesh tallies.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/output/tally_source.h"
#include "taihu/neutron/transport/simulation.h"
#include "taihu/picture/picture.h"

namespace taihu::neutron {

using picture::Picture;

struct Slice {
  Vector origin;                 ///< centre of the picture
  double width = 1, height = 1;  ///< cm
  int pixels_x = 800, pixels_y = 800;
  int horizontal = 0, vertical = 1;  ///< axes
  bool by_material = true;           ///< colours tell materials apart, else cells
};

/// An error that a slice or a check has found.
struct GeometryFault {
  Vector r;
  std::string problem;
};

/// Draws a slice; points in no cell are black, points in more than one cell of a universe red. The first of
/// each kind is added to `faults`.
Picture draw_slice(const Model& model, const Slice& slice, std::vector<GeometryFault>& faults);

/// Checks a point. Empty: no error; else the error ("in no cell ...", "in cells 3 and 4 of universe 1").
std::string fault_at(const Geometry& geometry, const Vector& r);

/// Whether a tally can be drawn as a map: its only filter with more than one bin is a mesh with x and y.
bool is_map(const TallyLayout& layout, std::size_t tally);

/// Maps of all columns (scores of nuclides) of a tally; none where the tally cannot be drawn. Layers along z
/// are added up. Beyond 1000 pixels a side several cells share a pixel, which shows their mean. Throws what
/// `source` throws.
std::vector<Picture> draw_mesh_tally(const TallyLayout& layout, const TallySource& source, std::size_t tally);

}  // namespace taihu::neutron
