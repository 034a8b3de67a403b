// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/surface_passage.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace taihu::neutron {
namespace {

/// Whether a flight that meets a boundary surface leaves its cell of the root universe there.
bool leaves_model(const Geometry& geometry, SurfaceId surface, const Vector& r, const Vector& u,
                  double distance) {
  const Vector before = r + std::max(0.0, distance - crossing_step_cm) * u;
  const CellId index = first_cell_at(geometry, geometry.root, before);
  if (!index) return false;
  const Cell& cell = geometry.cell(index);
  const Vector behind = r + (distance + crossing_step_cm) * u;
  const std::span<const SurfaceId> surfaces = geometry.surfaces_of(cell);
  return std::ranges::find(surfaces, surface) != surfaces.end() &&
         !contains(geometry.tests_of(cell), geometry.surfaces, behind);
}

bool is_in(const Location& location, int cell) noexcept {
  for (int level = 0; level < location.depth; ++level)
    if (location.levels[level].cell.index() == cell) return true;
  return false;
}

/// Whether the signs of the boundaries tell that there is none between two points. Points on the same side of
/// a plane, or both inside a convex surface, see each other.
bool see_each_other(const Geometry& geometry, const Vector& a, const Vector& b) noexcept {
  const auto across = [&](int axis) {
    const double from = a[axis], to = b[axis];
    for (const double plane : geometry.boundary_planes[axis])
      if ((from > plane) != (to > plane)) return true;
    return false;
  };
  if (across(0) || across(1) || across(2)) return false;
  for (const SurfaceId index : geometry.other_boundaries) {
    const Surface& surface = geometry.surface(index);
    const bool outside = evaluate(surface, a) > 0;
    if (outside != (evaluate(surface, b) > 0) || !negative_side_is_convex(surface)) return false;
    if (outside && !is_plane(surface)) return false;
  }
  return true;
}

/// Whether a path leaves its cell of a lower level.
bool leaves_cell(const Geometry& geometry, const Location::Level& level, double distance) {
  const Vector behind = level.r + (distance + crossing_step_cm) * level.u;
  return !contains(geometry.tests_of(geometry.cell(level.cell)), geometry.surfaces, behind);
}

/// The normal of a surface of a level, in the coordinates of the root.
Vector normal_in_root(const Geometry& geometry, const Location& location, int level, const Surface& surface,
                      double distance) {
  const Location::Level& at = location.levels[level];
  Vector n = normal(surface, at.r + distance * at.u);
  for (int above = level - 1; above >= 0; --above)
    if (const int turn = geometry.cell(location.levels[above].cell).rotation; turn >= 0)
      n = rotate_back(geometry.rotations[turn], n);
  return n;
}

/// Whether a passage from one place to another is of the wanted cell, as OpenMC's "cell", "cellfrom" and
/// "cellto" mean it.
bool passes_cell(const SurfaceBanking& banking, const Location& from, const Location& to) noexcept {
  if (banking.cell < 0) return true;
  const bool left = is_in(from, banking.cell), entered = is_in(to, banking.cell);
  if (left == entered) return false;
  return banking.side == SurfaceBanking::Side::any || left == (banking.side == SurfaceBanking::Side::from);
}

}  // namespace

bool find_boundary(const Geometry& geometry, const Vector& r, const Vector& u, double flight,
                   SurfaceId& surface, double& distance) {
  if (flight != infinity && see_each_other(geometry, r, r + flight * u)) return false;
  double passed = 0;
  for (;;) {
    distance = infinity;
    const Vector start = r + passed * u, end = r + flight * u;
    for (const SurfaceId index : geometry.boundaries) {
      const Surface& candidate = geometry.surface(index);
      if (flight != infinity && negative_side_is_convex(candidate)) {
        const bool from = evaluate(candidate, start) > 0, to = evaluate(candidate, end) > 0;
        if (from == to && (!from || is_plane(candidate))) continue;
      }
      const double d = taihu::neutron::distance(candidate, start, u);
      if (d < distance) distance = d, surface = index;
    }
    if (!(passed + distance <= flight) || distance == infinity) return false;
    if (leaves_model(geometry, surface, start, u, distance)) {
      distance += passed;
      return true;
    }
    passed += distance + crossing_step_cm;  // here the surface bounds nothing
    if (passed >= flight) return false;
  }
}

bool SurfacePassage::cross(const Crossing& crossing) {
  const bool boundary =
      crossing.surface && geometry_.surface(crossing.surface).boundary != Boundary::transmission;
  const bool currents = scores_currents(), banking = banks(crossing.surface);
  if (currents || banking) from_ = location_;
  const Location::Level& top = location_.levels[0];
  if (boundary &&
      (crossing.level == 0 ? leaves_model(geometry_, crossing.surface, top.r, top.u, crossing.distance)
                           : leaves_cell(geometry_, location_.levels[crossing.level], crossing.distance)))
    return pass_boundary(crossing.surface, crossing.distance, crossing.level);
  double sign = 1;
  if (currents && crossing.surface) {
    const Location::Level& level = location_.levels[crossing.level];
    if (dot(normal(geometry_.surface(crossing.surface), level.r + crossing.distance * level.u), level.u) < 0)
      sign = -1;
  }
  advance(location_, crossing.distance + crossing_step_cm);
  // Behind the edge of a lattice's element, the neighbour is found from the cell that the lattice fills.
  const int from = crossing.surface ? crossing.level : crossing.level - 1;
  if (!descend(geometry_, history_.memory, location_, from)) {
    const Vector r = history_.r(), u = history_.u();
    if (!locate(geometry_, history_.memory, r, u, location_)) {
      history_.lose("it went into no cell");
      return false;
    }
  }
  if (currents) score_passage(crossing.surface, sign, history_.r());
  if (banking && passes_cell(history_.settings.surface_banking, from_, location_))
    history_.bank_passage(geometry_.surface(crossing.surface).id, history_.r());
  return true;
}

bool SurfacePassage::pass_boundary(SurfaceId index, double distance, int level) {
  const Surface& surface = geometry_.surface(index);
  Vector r = history_.r(), u = history_.u();
  const bool currents = scores_currents();
  const Vector across = normal_in_root(geometry_, location_, level, surface, distance);
  const double sign = currents && dot(across, u) < 0 ? -1 : 1;
  // A particle that is returned by the boundary passes the surface twice.
  if (currents && surface.boundary != Boundary::periodic) score_passage(index, sign, r + distance * u);
  // A face of a mesh that lies on a boundary is only passed by neutrons that leave the model.
  if (history_.scores_faces()) {
    const double step = surface.boundary == Boundary::vacuum ? crossing_step_cm : -crossing_step_cm;
    history_.score_faces(std::max(0.0, length(r - particle_.turned_at) + distance + step));
  }
  // A boundary is listed before it acts; a cell can only be left there.
  if (banks(index)) {
    const SurfaceBanking& banking = history_.settings.surface_banking;
    if (banking.cell < 0 || (surface.boundary == Boundary::vacuum &&
                             banking.side != SurfaceBanking::Side::to && is_in(location_, banking.cell)))
      history_.bank_passage(surface.id, r + std::max(0.0, distance - crossing_step_cm) * u);
  }
  if (surface.boundary == Boundary::vacuum) {
    particle_.total(Total::leakage) += particle_.weight;
    if (history_.traced) location_.levels[0].r = r + distance * u;
    return false;
  }
  particle_.weight *= surface.albedo;
  r += std::max(0.0, distance - crossing_step_cm) * u;
  Vector n = across;
  if (dot(n, u) > 0) n = -1 * n;  // inwards
  if (surface.boundary == Boundary::reflective) {
    u -= 2 * dot(u, n) * n;
  } else if (surface.boundary == Boundary::white) {
    u = scattered(n, std::sqrt(particle_.random.uniform()), particle_.random);
  } else if (surface.turn >= 0) {
    const PeriodicTurn& turn = geometry_.turns[surface.turn];
    const Vector beyond = r + 2 * crossing_step_cm * u;
    r = turn.origin + rotate(turn.rotation, beyond - turn.origin);
    u = rotate(turn.rotation, u);
  } else {
    // Moves the particle to the partner surface along the common normal, with the same distance to the inside
    // as here.
    const Surface& partner = geometry_.surface(surface.periodic_partner);
    const Vector along = normal(partner, r);
    const Vector gradient =
        partner.type == SurfaceType::plane
            ? Vector{partner.coefficients[0], partner.coefficients[1], partner.coefficients[2]}
            : along;
    const double inwards = dot(u, along) > 0 ? 1 : -1;
    r -= (evaluate(partner, r) / length(gradient) - inwards * crossing_step_cm) * along;
  }
  if (!locate(geometry_, history_.memory, r, unit(u), location_)) {
    history_.lose("it came back from a boundary into no cell");
    return false;
  }
  particle_.turned_at = history_.r();
  if (currents && surface.boundary != Boundary::periodic) score_passage(index, -sign, r);
  if (currents && surface.boundary == Boundary::periodic) {
    const SurfaceId partner = surface.periodic_partner;
    score_passage(partner, dot(normal(geometry_.surface(partner), r), u) > 0 ? 1 : -1, r);
  }
  return true;
}

/// A current through a surface, or the edge of a lattice's element, counts in the cell that the neutron is
/// then in.
void SurfacePassage::score_passage(SurfaceId surface, double sign, const Vector& r) {
  Event passed = history_.event();
  passed.surface = surface;
  if (surface)
    passed.mu_surface = std::min(1.0, std::fabs(dot(normal(geometry_.surface(surface), r), history_.u())));
  passed.r = r;
  passed.from = &from_;
  history_.bins.score_surface(passed, particle_.weight, sign);
}

}  // namespace taihu::neutron
