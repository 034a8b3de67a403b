// SPDX-License-Identifier: Apache-2.0
// Checks a whole geometry and computes the members that follow from the others.
#include <algorithm>

#include "taihu/neutron/geometry/geometry.h"

namespace taihu::neutron {
namespace {

void require(bool holds, const std::string& problem, GeometryError::Where where) {
  if (!holds) throw GeometryError(problem, where);
}

std::string surface_name(const Surface& surface) {
  return "surface " + std::to_string(surface.id);
}

void fill_universes(Geometry& geometry) {
  for (Universe& universe : geometry.universes) universe.cells.clear();
  for (std::size_t i = 0; i < geometry.cells.size(); ++i)
    geometry.universes[geometry.cells[i].universe.index()].cells.push_back(CellId(i));
  for (const Universe& universe : geometry.universes)
    require(!universe.cells.empty(), "universe " + std::to_string(universe.id) + " has no cells", {});
}

/// Walks down from each universe once; `state` 1: on the way, 2: done. Returns the number of levels from it
/// downwards, its own included.
int measure_depth(const Geometry& geometry, UniverseId id, std::vector<int>& state, std::vector<int>& depth) {
  const std::int32_t at = id.index();
  const Universe& universe = geometry.universe(id);
  if (state[at] == 2) return depth[at];
  const std::string name = "universe " + std::to_string(universe.id);
  const CellId first_cell = universe.cells.front();
  require(state[at] == 0, name + " contains itself", {.cell = first_cell});
  state[at] = 1;
  int below = 0;
  for (const CellId index : universe.cells) {
    const Cell& cell = geometry.cell(index);
    if (cell.fill == Fill::universe) {
      below = std::max(below, measure_depth(geometry, cell.filling_universe(), state, depth));
    } else if (cell.fill == Fill::lattice) {
      const Lattice& lattice = geometry.lattice(cell.lattice());
      for (const UniverseId inner : lattice.universes)
        if (inner) below = std::max(below, measure_depth(geometry, inner, state, depth));
      if (lattice.outer) below = std::max(below, measure_depth(geometry, lattice.outer, state, depth));
    }
  }
  state[at] = 2;
  require(
      below + 1 <= max_depth,
      name + ": more than " + std::to_string(max_depth) + " universes inside one another; flatten the model",
      {.cell = first_cell});
  return depth[at] = below + 1;
}

/// Boundaries may be anywhere, but periodic ones need the coordinates of the root.
void find_inner_boundaries(Geometry& geometry) {
  geometry.inner_boundaries = false;
  for (const Cell& cell : geometry.cells)
    for (const SurfaceId index : geometry.surfaces_of(cell)) {
      const Surface& surface = geometry.surface(index);
      if (cell.universe == geometry.root || surface.boundary == Boundary::transmission) continue;
      geometry.inner_boundaries = true;
      require(surface.boundary != Boundary::periodic,
              surface_name(surface) + ": boundary condition \"" + name_of(surface.boundary) +
                  "\" inside universe " + std::to_string(geometry.universe(cell.universe).id) +
                  " is not supported; put it on surfaces of cells of the root universe",
              {.surface = index});
    }
}

void find_boundaries(Geometry& geometry) {
  geometry.boundaries.clear();
  geometry.other_boundaries.clear();
  for (HotVector<double>& planes : geometry.boundary_planes) planes.clear();
  for (std::size_t i = 0; i < geometry.surfaces.size(); ++i) {
    const Surface& surface = geometry.surfaces[i];
    if (surface.boundary == Boundary::transmission) continue;
    geometry.boundaries.push_back(SurfaceId(i));
    if (surface.type <= SurfaceType::z_plane)
      geometry.boundary_planes[static_cast<std::size_t>(surface.type)].push_back(surface.coefficients[0]);
    else
      geometry.other_boundaries.push_back(SurfaceId(i));
  }
}

bool is_periodic_plane(const Geometry& geometry, SurfaceId surface) {
  return is_plane(geometry.surface(surface)) && geometry.surface(surface).boundary == Boundary::periodic;
}

/// The normal of a boundary plane that points into the model.
Vector inward_normal(const Geometry& geometry, SurfaceId surface) {
  bool above = false, below = false, plain = true;
  for (const CellId id : geometry.universe(geometry.root).cells) {
    const Cell& cell = geometry.cell(id);
    for (const HalfSpaceTest& test : geometry.tests_of(cell)) {
      if (test.surface != surface) continue;
      (test.positive ? above : below) = true;
      const auto index = static_cast<std::size_t>(id.index());
      if (index < geometry.cell_texts.size() &&
          geometry.cell_texts[index].region.find('~') != std::string::npos)
        plain = false;
    }
  }
  require(above != below && plain,
          surface_name(geometry.surface(surface)) +
              " is periodic by a rotation, and cells are on both sides of it, or inside a complement (~); "
              "all cells of the root universe have to be on one side",
          {.surface = surface});
  return (above ? 1.0 : -1.0) * normal(geometry.surface(surface), {});
}

/// Of the function whose sign tells the sides of a plane.
Vector gradient(const Surface& plane) {
  if (plane.type == SurfaceType::plane)
    return {plane.coefficients[0], plane.coefficients[1], plane.coefficients[2]};
  return normal(plane, {});
}

/// The turn from plane i to plane j about the line where they meet. Seen from inside, what leaves through one
/// comes in through the other.
PeriodicTurn turn_between(const Geometry& geometry, SurfaceId i, SurfaceId j) {
  const Vector n = inward_normal(geometry, i), m = inward_normal(geometry, j);
  const Vector axis = unit(cross(n, m));
  const double cosine = -dot(n, m), sine = -dot(axis, cross(n, m));  // of the angle from n to -m
  PeriodicTurn turn;
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) {
      Vector basis;
      basis[column] = 1;
      // Rodrigues' formula
      const Vector turned = cosine * basis + sine * cross(axis, basis) + (1 - cosine) * axis[column] * axis;
      turn.rotation[3 * row + column] = turned[row];
    }
  // A point of both planes: n.r = a, m.r = b, in the plane that n and m span.
  const double a = -evaluate(geometry.surface(i), {}), b = -evaluate(geometry.surface(j), {});
  const auto scaled = [&](SurfaceId surface, double value, const Vector& inward) {
    const Vector p = value / dot(gradient(geometry.surface(surface)), gradient(geometry.surface(surface))) *
                     gradient(geometry.surface(surface));
    return dot(inward, p);
  };
  const double to_i = scaled(i, a, n), to_j = scaled(j, b, m), c = dot(n, m), d = 1 - c * c;
  turn.origin = (to_i - c * to_j) / d * n + (to_j - c * to_i) / d * m;
  return turn;
}

/// A periodic plane without a named partner takes the only other periodic plane parallel to it, or else the
/// only other one without a partner.
void pair_periodic_surfaces(Geometry& geometry) {
  const auto parallel = [&](SurfaceId i, SurfaceId j) {
    const Vector n = normal(geometry.surface(i), {}), m = normal(geometry.surface(j), {});
    return std::fabs(std::fabs(dot(n, m)) - 1) < 1e-12;
  };
  geometry.turns.clear();
  std::vector<SurfaceId> lonely;
  for (const SurfaceId i : geometry.boundaries) {
    if (!is_periodic_plane(geometry, i) || geometry.surface(i).periodic_partner) continue;
    if (std::none_of(geometry.boundaries.begin(), geometry.boundaries.end(),
                     [&](SurfaceId j) { return j != i && is_periodic_plane(geometry, j) && parallel(i, j); }))
      lonely.push_back(i);
  }
  if (lonely.size() == 2) {
    geometry.surfaces[lonely[0].index()].periodic_partner = lonely[1];
    geometry.surfaces[lonely[1].index()].periodic_partner = lonely[0];
  }
  for (const SurfaceId i : geometry.boundaries) {
    Surface& surface = geometry.surfaces[i.index()];
    if (surface.boundary != Boundary::periodic) continue;
    require(is_plane(surface), surface_name(surface) + ": only planes can be periodic", {.surface = i});
    if (!surface.periodic_partner) {
      for (const SurfaceId j : geometry.boundaries) {
        if (j == i || geometry.surface(j).boundary != Boundary::periodic || !is_plane(geometry.surface(j)) ||
            !parallel(i, j))
          continue;
        require(!surface.periodic_partner,
                surface_name(surface) +
                    ": several surfaces could be its periodic partner; name one in "
                    "periodic_surface_id",
                {.surface = i});
        surface.periodic_partner = j;
      }
    }
    require(bool(surface.periodic_partner),
            surface_name(surface) +
                " is periodic and has no parallel periodic partner; name one in periodic_surface_id",
            {.surface = i});
    const Surface& partner = geometry.surface(surface.periodic_partner);
    require(is_periodic_plane(geometry, surface.periodic_partner),
            surface_name(surface) + ": its periodic partner " + surface_name(partner) +
                " is not a periodic plane",
            {.surface = i});
    if (parallel(i, surface.periodic_partner)) continue;
    surface.turn = static_cast<int>(geometry.turns.size());
    geometry.turns.push_back(turn_between(geometry, i, surface.periodic_partner));
  }
}

}  // namespace

void complete(Geometry& geometry) {
  require(!geometry.cells.empty(), "the geometry has no cells", {});
  fill_universes(geometry);
  // The root is the universe that fills no cell and no lattice.
  std::vector<bool> used(geometry.universes.size());
  for (const Cell& cell : geometry.cells) {
    if (cell.fill == Fill::universe) used[cell.filling_universe().index()] = true;
    if (cell.fill != Fill::lattice) continue;
    const Lattice& lattice = geometry.lattice(cell.lattice());
    for (const UniverseId universe : lattice.universes)
      if (universe) used[universe.index()] = true;
    if (lattice.outer) used[lattice.outer.index()] = true;
  }
  std::vector<UniverseId> roots;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (!used[i]) roots.push_back(UniverseId(i));
  require(!roots.empty(), "every universe is inside another one; one has to be the root", {});
  require(roots.size() == 1,
          "universes " + std::to_string(geometry.universe(roots[0]).id) + " and " +
              std::to_string(geometry.universe(roots.back()).id) + " are both in no cell; one root is needed",
          {.cell = geometry.universe(roots.back()).cells.front()});
  geometry.root = roots[0];
  std::vector<int> state(used.size()), depth(used.size());
  measure_depth(geometry, geometry.root, state, depth);
  find_inner_boundaries(geometry);
  find_boundaries(geometry);
  pair_periodic_surfaces(geometry);
  make_cell_searches(geometry);
}

}  // namespace taihu::neutron
