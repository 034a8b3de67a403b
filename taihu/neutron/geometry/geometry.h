// SPDX-License-Identifier: Apache-2.0
// Constructive solid geometry: cells in universes in lattices, to any depth up to max_depth.
//
// Hot data are flat arrays of plain structs; members that only input and output need (texts, angles) are in
// `CellText`. A finished Geometry is never changed, so all threads share it. Each thread has a `CellMemory`,
// which makes finding cells faster.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/neutron/geometry/cell_search.h"
#include "taihu/neutron/geometry/lattice.h"
#include "taihu/neutron/geometry/region.h"
#include "taihu/neutron/geometry/surface.h"
#include "taihu/neutron/particle/opaque_id.h"
#include "taihu/neutron/storage/hot_vector.h"

namespace taihu::neutron {

/// A particle that has reached a surface or an edge goes on this far behind it, in cm, and is searched there.
/// Surfaces nearer to each other than twice this are passed together.
constexpr double crossing_step_cm = 1e-9;

constexpr int max_depth = 10;

enum class Fill { material, universe, lattice };

struct Cell {
  int id = 0;
  UniverseId universe;  ///< that it is part of
  Fill fill = Fill::material;
  int target =
      -1;  ///< index of the material (-1: void), universe or lattice; read it as the type that `fill` says
  int first_test = 0, test_count = 0;
  int first_surface = 0, surface_count = 0;  ///< each surface of the region once
  int rotation = -1;                         ///< index; local = rotation * (r - translation)
  int distributed = -1;                      ///< index: its instances differ; -1: they do not
  bool moved = false;                        ///< has a translation or a rotation
  Vector translation;

  /// What fills it, with Fill::material, Fill::universe and Fill::lattice.
  MaterialId material() const noexcept { return MaterialId(target); }
  UniverseId filling_universe() const noexcept { return UniverseId(target); }
  LatticeId lattice() const noexcept { return LatticeId(target); }
};

/// The members of a cell that only people and files need.
struct CellText {
  std::string name, region;
  std::vector<double> temperatures;  ///< K; one, or one for each instance; empty: the material's
  std::vector<double> densities;     ///< g/cm3; the same
  std::vector<double> rotation_degrees;
};

struct Universe {
  int id = 0;
  SearchStep search = no_tree;  ///< where the search for a cell begins
  std::vector<CellId> cells;
};

class InstanceTable;

/// A cell with different materials, temperatures or densities in its instances.
struct DistributedCell {
  std::shared_ptr<const InstanceTable> table;
  std::vector<MaterialId> materials;  ///< by instance
};

/// How a particle gets from a periodic plane to a partner that is not parallel: turned about a line.
struct PeriodicTurn {
  Rotation rotation{};
  Vector origin;  ///< a point of the line
};

struct Geometry {
  HotVector<Surface> surfaces;
  HotVector<Cell> cells;
  std::vector<CellText> cell_texts;
  std::vector<Universe> universes;
  std::vector<Lattice> lattices;
  HotVector<Rotation> rotations;
  HotVector<HalfSpaceTest> tests;      ///< of all cells; jumps count from the cell's first
  HotVector<SurfaceId> cell_surfaces;  ///< of all cells
  HotVector<CellTest> cell_tests;      ///< of the searches in all universes
  HotVector<SurfaceId> boundaries;     ///< surfaces that are not mere transmission
  /// The same in two parts: where those across the x, y and z axis are; the others.
  std::array<HotVector<double>, 3> boundary_planes;
  HotVector<SurfaceId> other_boundaries;
  std::vector<PeriodicTurn> turns;           ///< of periodic surfaces
  std::vector<DistributedCell> distributed;  ///< made by the reader, after complete()
  UniverseId root;
  bool inner_boundaries = false;  ///< some bound cells of other universes than the root

  const Cell& cell(CellId id) const noexcept { return cells[id.index()]; }
  const Universe& universe(UniverseId id) const noexcept { return universes[id.index()]; }
  const Lattice& lattice(LatticeId id) const noexcept { return lattices[id.index()]; }
  const Surface& surface(SurfaceId id) const noexcept { return surfaces[id.index()]; }

  std::span<const HalfSpaceTest> tests_of(const Cell& cell) const noexcept {
    return {tests.data() + cell.first_test, static_cast<std::size_t>(cell.test_count)};
  }
  std::span<const SurfaceId> surfaces_of(const Cell& cell) const noexcept {
    return {cell_surfaces.data() + cell.first_surface, static_cast<std::size_t>(cell.surface_count)};
  }
};

/// An error of a geometry and the part that is wrong.
class GeometryError : public Error {
 public:
  struct Where {
    SurfaceId surface = {};
    CellId cell = {};
  };
  GeometryError(const std::string& text, Where where) : Error(text), where_(where) {}
  Where where() const noexcept { return where_; }

 private:
  Where where_;
};

/// Checks a filled-in geometry and computes the members that follow from the rest: cells of universes and
/// the searches for them, boundaries, depth. Throws GeometryError: universe inside itself, deeper than
/// max_depth, boundary condition below the root universe, periodic surfaces that do not fit, no cell in the
/// root universe.
void complete(Geometry& geometry);

/// Rotation matrix of OpenMC's three angles (degrees about x, y, z).
Rotation rotation_from_degrees(double about_x, double about_y, double about_z) noexcept;

/// Where a point is on each level, from the root universe down to a material.
struct Location {
  struct Level {
    Vector r;  ///< in the universe's own coordinates
    Vector u;  ///< direction; only kept up to date by surface tracking
    UniverseId universe;
    CellId cell;
    LatticeId lattice;  ///< that the universe is an element of
    int element = -1;   ///< flat index in it; -1: outside
  };
  int depth = 0;  ///< levels in use
  MaterialId material;
  int instance = -1;  ///< of the cell, where its instances differ
  Level levels[max_depth];

  CellId cell() const noexcept { return levels[depth - 1].cell; }
};

/// Cells found last, by universe and by the cell that was left: tried first. One per thread.
class CellMemory {
 public:
  explicit CellMemory(const Geometry& geometry) : last_(geometry.universes.size()) {}
  CellId last_in(UniverseId universe) const noexcept { return last_[universe.index()]; }
  void found(UniverseId universe, CellId cell) noexcept { last_[universe.index()] = cell; }

 private:
  std::vector<CellId> last_;
};

/// The cell of a universe that holds the point `r` of its own coordinates, or none; the first one where
/// several do.
CellId first_cell_at(const Geometry& geometry, UniverseId universe, const Vector& r) noexcept;

/// Finds the cells around the point levels[from].r in universe levels[from].universe and everything below it.
/// Returns false when there is none: `location.depth` is then the number of levels found.
bool descend(const Geometry& geometry, CellMemory& memory, Location& location, int from) noexcept;

/// Finds the point `r` from the root universe on; `u` is set on all levels.
bool locate(const Geometry& geometry, CellMemory& memory, const Vector& r, const Vector& u,
            Location& location) noexcept;

/// The first surface or edge that a ray meets.
struct Crossing {
  double distance = infinity;
  int level = 0;
  SurfaceId surface;  ///< none: the edge of a lattice's element
};

/// First surface or edge from a location, along its directions. Among things nearer to each other than two
/// crossing steps a boundary of the model comes first, then the one on the higher level.
Crossing next_crossing(const Geometry& geometry, const Location& location) noexcept;

/// Moves all levels along the direction.
void advance(Location& location, double distance) noexcept;

/// Sets the global direction, and from it that of each level.
void set_direction(const Geometry& geometry, Location& location, const Vector& u) noexcept;

}  // namespace taihu::neutron
