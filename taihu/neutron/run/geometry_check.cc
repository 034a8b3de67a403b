// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/run/geometry_check.h"

#include <algorithm>

#include "taihu/base/error.h"
#include "taihu/base/random.h"

namespace taihu::neutron {
namespace {

constexpr std::size_t most_named = 10;

}  // namespace

std::optional<Box> box_of_sources(const Model& model) {
  Box box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (const Source& source : model.settings.sources) {
    if (source.space != Source::Space::box || source.sites) return std::nullopt;
    for (int axis = 0; axis < 3; ++axis) {
      box.low[axis] = std::min(box.low[axis], source.lower[axis]);
      box.high[axis] = std::max(box.high[axis], source.upper[axis]);
    }
  }
  if (model.settings.sources.empty()) return std::nullopt;
  return box;
}

GeometryCheck check_geometry(const Geometry& geometry, const Box& box, std::int64_t points) {
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

GeometryCheck check_along_rays(const Model& model, std::int64_t points) {
  GeometryCheck check;
  const Geometry& geometry = model.geometry;
  const SourceSampler sampler(model.settings.sources, geometry, model.data, model.nuclear.get());
  CellMemory memory(geometry);
  const auto look_at = [&](const Vector& r) {
    const std::string fault = fault_at(geometry, r);
    if (fault.empty()) return;
    ++check.faulty;
    if (check.first.size() < most_named) check.first.push_back({r, fault});
  };
  std::int64_t done = 0;
  for (std::uint64_t ray = 0; done < points; ++ray) {
    Stream random(1, StreamUse::source, 0, ray);
    const Site site = sampler.sample(random, memory);
    Location location;
    if (!locate(geometry, memory, site.r, random.direction(), location)) continue;
    for (++done; done <= points; ++done) {
      const Crossing crossing = next_crossing(geometry, location);
      const Vector& r = location.levels[0].r;
      const Vector& u = location.levels[0].u;
      if (crossing.distance == infinity) break;
      look_at(r + random.uniform() * crossing.distance * u);
      if (crossing.surface && geometry.surface(crossing.surface).boundary != Boundary::transmission) break;
      const Vector behind = r + (crossing.distance + crossing_step_cm) * u, onwards = u;
      if (locate(geometry, memory, behind, onwards, location)) continue;
      look_at(behind);
      break;
    }
  }
  return check;
}

}  // namespace taihu::neutron
