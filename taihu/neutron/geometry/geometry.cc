// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/geometry/geometry.h"

#include "taihu/neutron/geometry/instances.h"

#include <numbers>

namespace taihu::neutron {
namespace {

bool cell_contains(const Geometry& geometry, const Cell& cell, const Vector& r) noexcept {
  return contains(geometry.tests_of(cell), geometry.surfaces, r);
}

CellId search_in_turn(const Geometry& geometry, UniverseId universe, const Vector& r) noexcept {
  for (const CellId cell : geometry.universe(universe).cells)
    if (cell_contains(geometry, geometry.cell(cell), r)) return cell;
  return {};
}

/// Without a tree, and with more than a few cells, the one that was found last is tried first.
CellId search_from_last(const Geometry& geometry, CellMemory& memory, UniverseId universe,
                        const Vector& r) noexcept {
  if (geometry.universe(universe).cells.size() <= 3) return search_in_turn(geometry, universe, r);
  const CellId last = memory.last_in(universe);
  if (last && cell_contains(geometry, geometry.cell(last), r)) return last;
  const CellId cell = search_in_turn(geometry, universe, r);
  if (cell) memory.found(universe, cell);
  return cell;
}

/// The cell of a universe that holds `r`, or none.
CellId find_cell(const Geometry& geometry, CellMemory& memory, UniverseId universe,
                 const Vector& r) noexcept {
  const SearchStep first = geometry.universe(universe).search;
  return first == no_tree ? search_from_last(geometry, memory, universe, r)
                          : search_tree(geometry.cell_tests, geometry.surfaces, first, r);
}

/// Coordinates of the universe that fills `cell`.
void enter_universe(const Geometry& geometry, const Cell& cell, const Location::Level& above,
                    Location::Level& below) {
  below.universe = cell.filling_universe();
  below.lattice = {};
  below.element = -1;
  below.r = cell.moved ? above.r - cell.translation : above.r;
  below.u = above.u;
  if (cell.rotation >= 0) {
    below.r = rotate(geometry.rotations[cell.rotation], below.r);
    below.u = rotate(geometry.rotations[cell.rotation], below.u);
  }
}

/// Coordinates of the element of the lattice that fills `cell`. False: outside, and there is no outer
/// universe.
[[gnu::flatten]] bool enter_lattice(const Geometry& geometry, const Cell& cell, const Location::Level& above,
                                    Location::Level& below) {
  const Lattice& lattice = geometry.lattice(cell.lattice());
  enter_universe(geometry, cell, above, below);
  const std::array<int, 3> element = element_at(lattice, below.r);
  below.lattice = cell.lattice();
  below.element = flat_index(lattice, element);
  below.universe = below.element >= 0 ? lattice.universes[below.element] : lattice.outer;
  below.r -= element_centre(lattice, element);
  return bool(below.universe);
}

/// False: the cell is where its instances have no number, in the outer universe of a lattice.
bool fill_instance(const DistributedCell& cell, Location& location) noexcept {
  location.instance = cell.table->number(location, location.depth - 1);
  if (location.instance < 0) return false;
  location.material = cell.materials[location.instance];
  return true;
}

}  // namespace

CellId first_cell_at(const Geometry& geometry, UniverseId universe, const Vector& r) noexcept {
  const SearchStep first = geometry.universe(universe).search;
  return first == no_tree ? search_in_turn(geometry, universe, r)
                          : search_tree(geometry.cell_tests, geometry.surfaces, first, r);
}

bool descend(const Geometry& geometry, CellMemory& memory, Location& location, int from) noexcept {
  for (int at = from;; ++at) {
    Location::Level& level = location.levels[at];
    level.cell = find_cell(geometry, memory, level.universe, level.r);
    location.depth = at;
    if (!level.cell) return false;
    const Cell& cell = geometry.cell(level.cell);
    location.depth = at + 1;
    if (cell.fill == Fill::material) {
      if (cell.distributed >= 0) [[unlikely]]
        return fill_instance(geometry.distributed[cell.distributed], location);
      location.material = cell.material();
      return true;
    }
    Location::Level& below = location.levels[at + 1];
    if (cell.fill == Fill::universe) {
      enter_universe(geometry, cell, level, below);
    } else if (!enter_lattice(geometry, cell, level, below)) {
      return false;
    }
  }
}

bool locate(const Geometry& geometry, CellMemory& memory, const Vector& r, const Vector& u,
            Location& location) noexcept {
  Location::Level& top = location.levels[0];
  top.r = r;
  top.u = u;
  top.universe = geometry.root;
  top.lattice = {};
  top.element = -1;
  return descend(geometry, memory, location, 0);
}

Crossing next_crossing(const Geometry& geometry, const Location& location) noexcept {
  Crossing best;
  constexpr double together = 2 * crossing_step_cm;
  for (int at = 0; at < location.depth; ++at) {
    const Location::Level& level = location.levels[at];
    if (level.lattice) {
      const double d = distance_to_edge(geometry.lattice(level.lattice), level.r, level.u);
      if (d < best.distance - together) best = {d, at, {}};
    }
    const Cell& cell = geometry.cell(level.cell);
    for (const SurfaceId index : geometry.surfaces_of(cell)) {
      const Surface& surface = geometry.surface(index);
      const double d = distance(surface, level.r, level.u);
      if (d >= best.distance + together) continue;
      const bool boundary = surface.boundary != Boundary::transmission;
      const bool best_is_boundary =
          best.surface && geometry.surface(best.surface).boundary != Boundary::transmission;
      if (d < best.distance - together || (boundary && !best_is_boundary) ||
          (at == best.level && boundary == best_is_boundary && d < best.distance))
        best = {d, at, index};
    }
  }
  return best;
}

void advance(Location& location, double distance) noexcept {
  for (int at = 0; at < location.depth; ++at) location.levels[at].r += distance * location.levels[at].u;
}

void set_direction(const Geometry& geometry, Location& location, const Vector& u) noexcept {
  location.levels[0].u = u;
  for (int at = 1; at < location.depth; ++at) {
    const Location::Level& above = location.levels[at - 1];
    const int rotation = geometry.cell(above.cell).rotation;
    location.levels[at].u = rotation >= 0 ? rotate(geometry.rotations[rotation], above.u) : above.u;
  }
}

Rotation rotation_from_degrees(double about_x, double about_y, double about_z) noexcept {
  const double degree = std::numbers::pi / 180;
  const double cx = std::cos(about_x * degree), sx = -std::sin(about_x * degree);
  const double cy = std::cos(about_y * degree), sy = -std::sin(about_y * degree);
  const double cz = std::cos(about_z * degree), sz = -std::sin(about_z * degree);
  return {cy * cz,
          -cx * sz + sx * sy * cz,
          sx * sz + cx * sy * cz,
          cy * sz,
          cx * cz + sx * sy * sz,
          -sx * cz + cx * sy * sz,
          -sy,
          sx * cy,
          cx * cy};
}

}  // namespace taihu::neutron
