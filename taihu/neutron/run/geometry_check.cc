// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/run/geometry_check.h"

#include <algorithm>

#include "taihu/base/error.h"
#include "taihu/base/random.h"

namespace taihu::neutron {

Box box_of_sources(const Model& model) {
  Box box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (const Source& source : model.settings.sources) {
    if (source.space != Source::Space::box)
      throw UsageError("the model has a source that is not a box; say where to look with --box");
    for (int axis = 0; axis < 3; ++axis) {
      box.low[axis] = std::min(box.low[axis], source.lower[axis]);
      box.high[axis] = std::max(box.high[axis], source.upper[axis]);
    }
  }
  if (model.settings.sources.empty())
    throw UsageError("the model has no source; say where to look with --box");
  return box;
}

GeometryCheck check_geometry(const Geometry& geometry, const Box& box, std::int64_t points) {
  constexpr std::size_t most_named = 10;
  GeometryCheck check;
  Random random(1);
  for (std::int64_t i = 0; i < points; ++i) {
    Vector r;
    for (int axis = 0; axis < 3; ++axis)
      r[axis] = box.low[axis] + random.uniform() * (box.high[axis] - box.low[axis]);
    const std::string fault = fault_at(geometry, r);
    if (fault.empty()) continue;
    ++check.faulty;
    if (check.first.size() < most_named) check.first.push_back({r, fault});
  }
  return check;
}

}  // namespace taihu::neutron
