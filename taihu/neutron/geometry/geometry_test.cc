// SPDX-License-Identifier: Apache-2.0
// Lattices, and tracking through nested geometry against the plain search for a point.
#include "taihu/neutron/geometry/geometry.h"

#include <gtest/gtest.h>

#include "taihu/neutron/particle/random.h"
#include "taihu/neutron/test_models.h"

namespace taihu::neutron {
namespace {

Lattice hexagonal(LatticeType type, int rings) {
  Lattice lattice;
  lattice.type = type;
  lattice.shape = {2 * rings - 1, 2 * rings - 1, 1};
  lattice.origin = {0.3, -0.2, 0};
  lattice.pitch = {1.3, 1.3, 0};
  lattice.universes.assign(static_cast<std::size_t>(lattice.shape[0]) * lattice.shape[1], {});
  for (const auto& [a, b] : hexagonal_order(type, rings))
    lattice.universes[b * lattice.shape[0] + a] = UniverseId(0);
  return lattice;
}

TEST(HexagonalLattice, APointIsInTheElementWithTheNearestCentre) {
  for (const LatticeType type : {LatticeType::hexagonal_x, LatticeType::hexagonal_y}) {
    const Lattice lattice = hexagonal(type, 4);
    const auto all = hexagonal_order(type, 4);
    EXPECT_EQ(all.size(), 37u);
    Stream random(1, StreamUse::source, 0, 0);
    int inside = 0;
    for (int i = 0; i < 5000; ++i) {
      const Vector r{10 * random.uniform() - 5, 10 * random.uniform() - 5, 0};
      std::array<int, 3> best{};
      double nearest = infinity;
      for (const auto& [a, b] : all) {
        const double gap = length(r - element_centre(lattice, {a, b, 0}));
        if (gap < nearest) nearest = gap, best = {a, b, 0};
      }
      const std::array<int, 3> found = element_at(lattice, r);
      if (flat_index(lattice, found) < 0) {
        EXPECT_GT(nearest, 0.5 * 1.3 - 1e-9);  // outside of every hexagon's inscribed circle
      } else {
        ++inside;
        EXPECT_EQ(found, best);
      }
    }
    EXPECT_GT(inside, 1000);
  }
}

TEST(HexagonalLattice, RowsAreReadFromTheTopAndFromTheLeft) {
  // Three rings, orientation y: rows of 1 2 3 2 3 2 3 2 1 elements; orientation x: 3 4 5 4 3.
  for (const auto& [type, rows] :
       {std::pair{LatticeType::hexagonal_y, std::vector<int>{1, 2, 3, 2, 3, 2, 3, 2, 1}},
        std::pair{LatticeType::hexagonal_x, std::vector<int>{3, 4, 5, 4, 3}}}) {
    const Lattice lattice = hexagonal(type, 3);
    const auto order = hexagonal_order(type, 3);
    std::size_t next = 0;
    double above = infinity;
    for (const int count : rows) {
      double left = -infinity;
      const double y = element_centre(lattice, {order[next][0], order[next][1], 0}).y;
      EXPECT_LT(y, above - 0.1);
      for (int i = 0; i < count; ++i, ++next) {
        const Vector centre = element_centre(lattice, {order[next][0], order[next][1], 0});
        EXPECT_NEAR(centre.y, y, 1e-12);
        EXPECT_GT(centre.x, left + 0.1);
        left = centre.x;
      }
      above = y;
    }
    EXPECT_EQ(next, order.size());
  }
}

TEST(Lattice, TheEdgeIsWhereTheElementChanges) {
  Lattice rectangular;
  rectangular.is_3d = true;
  rectangular.shape = {5, 6, 7};
  rectangular.origin = {-2, -3, -3.5};
  rectangular.pitch = {0.8, 1, 1.1};
  Stream random(4, StreamUse::source, 0, 0);
  for (const Lattice& lattice :
       {rectangular, hexagonal(LatticeType::hexagonal_x, 5), hexagonal(LatticeType::hexagonal_y, 5)})
    for (int i = 0; i < 2000; ++i) {
      const Vector r{4 * random.uniform() - 2, 4 * random.uniform() - 2, 4 * random.uniform() - 2};
      const Vector u = random.direction();
      const std::array<int, 3> element = element_at(lattice, r);
      const double d = distance_to_edge(
          lattice, r - element_centre(lattice, element) + (lattice.is_3d ? Vector{} : Vector{0, 0, 0}), u);
      EXPECT_EQ(element_at(lattice, r + d * (1 - 1e-9) * u), element);
      EXPECT_NE(element_at(lattice, r + (d + 1e-8) * u), element);
    }
}

TEST(Tracking, MaterialsAlongARayAreThoseOfThePlainSearch) {
  for (const char* name : {"rectangular", "hexagonal", "rotated", "boolean"}) {
    const Model model = test_model(name);
    CellMemory memory(model.geometry);
    Stream random(7, StreamUse::source, 0, 0);
    std::int64_t steps = 0;
    for (int ray = 0; ray < 200; ++ray) {
      Location location;
      const Vector r{4 * random.uniform() - 2, 4 * random.uniform() - 2, 4 * random.uniform() - 2};
      ASSERT_TRUE(locate(model.geometry, memory, r, random.direction(), location));
      for (int i = 0; i < 60; ++i) {
        const Crossing crossing = next_crossing(model.geometry, location);
        ASSERT_LT(crossing.distance, 1e3);
        const Vector at = location.levels[0].r, u = location.levels[0].u;
        for (const double part : {0.01, 0.5, 0.99}) {
          Location plain;
          CellMemory nothing(model.geometry);
          ASSERT_TRUE(locate(model.geometry, nothing, at + part * crossing.distance * u, u, plain));
          if (crossing.distance > 1e-6) {
            EXPECT_EQ(plain.material, location.material) << name;
            EXPECT_EQ(plain.cell(), location.cell()) << name;
          }
        }
        if (crossing.surface && model.geometry.surface(crossing.surface).boundary != Boundary::transmission)
          break;
        advance(location, crossing.distance + crossing_step_cm);
        ASSERT_TRUE(descend(model.geometry, memory, location,
                            crossing.surface ? crossing.level : crossing.level - 1));
        ++steps;
      }
    }
    EXPECT_GT(steps, 200) << name;
  }
}

/// The same places with the trees of tests and without them.
void expect_plain_search(const Model& model, const std::string& name) {
  Geometry plain = model.geometry;
  for (Universe& universe : plain.universes) universe.search = no_tree;
  CellMemory memory(model.geometry), plain_memory(plain);
  Stream random(11, StreamUse::source, 0, 0);
  int inside = 0;
  for (int i = 0; i < 20000; ++i) {
    const Vector r{7 * random.uniform() - 3.5, 7 * random.uniform() - 3.5, 7 * random.uniform() - 3.5};
    const Vector u = random.direction();
    Location found, expected;
    const bool is_found = locate(model.geometry, memory, r, u, found);
    ASSERT_EQ(is_found, locate(plain, plain_memory, r, u, expected)) << name;
    ASSERT_EQ(found.depth, expected.depth) << name;
    for (int level = 0; level < found.depth; ++level)
      ASSERT_EQ(found.levels[level].cell, expected.levels[level].cell) << name;
    inside += is_found ? 1 : 0;
  }
  EXPECT_GT(inside, 5000) << name;
  EXPECT_LT(inside, 15000) << name;
}

TEST(CellSearch, FindsWhatThePlainSearchFinds) {
  for (const char* name : {"rectangular", "hexagonal", "rotated", "boolean"}) {
    const Model model = test_model(name);
    for (const Universe& universe : model.geometry.universes) EXPECT_NE(universe.search, no_tree) << name;
    expect_plain_search(model, name);
  }
}

/// A box with a few cells inside and one around them.
Model boxed(const std::string& surfaces, const std::string& cells) {
  return model_from_text(
      model_text("<surface id=\"1\" type=\"x-plane\" coeffs=\"-3\" boundary=\"vacuum\"/><surface id=\"2\" "
                 "type=\"x-plane\" "
                 "coeffs=\"3\" boundary=\"vacuum\"/><surface id=\"3\" type=\"y-plane\" coeffs=\"-3\" "
                 "boundary=\"vacuum\"/>"
                 "<surface id=\"4\" type=\"y-plane\" coeffs=\"3\" boundary=\"vacuum\"/>" +
                     surfaces + cells,
                 settings_text(100, 2, 1), ""));
}

TEST(CellSearch, OfCellsThatOverlapTheFirstIsFound) {
  expect_plain_search(
      boxed("<surface id=\"5\" type=\"sphere\" coeffs=\"0.5 0 0 1.5\"/><surface id=\"6\" "
            "type=\"z-cylinder\" coeffs=\"0 0 1\"/>",
            "<cell id=\"1\" region=\"-5 3\" material=\"1\"/><cell id=\"2\" region=\"-6 | (-5 -3)\" "
            "material=\"2\"/><cell id=\"3\" region=\"1 -2 3 -4\" material=\"2\"/>"),
      "overlapping");
}

/// Planes and spheres in a row along z, or cylinders around one another, and cells between neighbours.
Model slabs_of(int count, const char* type) {
  std::string surfaces, cells;
  for (int i = 0; i < count; ++i) {
    const std::string id = std::to_string(10 + i), place = std::to_string(6.0 / count * i - 3.001);
    // Squares of these radii are exact, so it is known on which side a cylinder itself is.
    const std::string coefficients = type == std::string("sphere") ? "0 0 " + place + " 0.3"
                                     : type == std::string("z-cylinder")
                                         ? "0 0 " + std::to_string((i + 1) / 32.0)
                                         : place;
    surfaces += "<surface id=\"" + id + "\" type=\"" + type + "\" coeffs=\"" + coefficients + "\"/>";
  }
  for (int i = 0; i + 1 < count; ++i)
    cells += "<cell id=\"" + std::to_string(1 + i) + "\" region=\"1 -2 3 -4 " + std::to_string(10 + i) +
             " -" + std::to_string(11 + i) + "\" material=\"1\"/>";
  return boxed(surfaces, cells);
}

/// For one universe of cells that do not overlap: with a tree, and without one whatever was found last, the
/// cell of a place is the first that has it. Many places are exactly on planes and cylinders; x and y of the
/// others are less than half of `width`.
void expect_first_cells(const Model& model, double width, const std::string& name) {
  Geometry plain = model.geometry;
  for (Universe& universe : plain.universes) universe.search = no_tree;
  CellMemory memory(model.geometry);
  Stream random(13, StreamUse::source, 0, 0);
  int inside = 0;
  for (int i = 0; i < 20000; ++i) {
    Vector r{width * (random.uniform() - 0.5), width * (random.uniform() - 0.5), 7 * random.uniform() - 3.5};
    const auto number =
        static_cast<std::size_t>(random.uniform() * static_cast<double>(plain.surfaces.size()));
    const Surface& surface = plain.surfaces[number];
    if (i % 2 == 1 && surface.type == SurfaceType::z_plane) r.z = surface.coefficients[0];
    if (i % 2 == 1 && surface.type == SurfaceType::z_cylinder) r.x = surface.coefficients[2], r.y = 0;
    Location found;
    const bool is_found = locate(model.geometry, memory, r, random.direction(), found);
    const CellId expected = first_cell_at(plain, plain.root, r);
    ASSERT_EQ(is_found, bool(expected)) << name;
    if (is_found) {
      ASSERT_EQ(found.levels[0].cell, expected) << name;
    }
    inside += is_found ? 1 : 0;
  }
  EXPECT_GT(inside, 5000) << name;
  EXPECT_LT(inside, 18000) << name;
}

TEST(CellSearch, ManyPlanesAreHalvedAndManyOtherSurfacesSearchedInTurn) {
  const Model planes = slabs_of(60, "z-plane"), cylinders = slabs_of(60, "z-cylinder"),
              spheres = slabs_of(60, "sphere"), cells = slabs_of(500, "z-plane");
  const auto search_of = [](const Model& model) {
    return model.geometry.universe(model.geometry.root).search;
  };
  EXPECT_NE(search_of(planes), no_tree);
  EXPECT_LE(planes.geometry.cell_tests.size(), 64u);
  EXPECT_NE(search_of(cylinders), no_tree);
  EXPECT_EQ(search_of(spheres), no_tree);
  EXPECT_EQ(search_of(cells), no_tree);
  expect_first_cells(planes, 7, "planes");
  expect_first_cells(cylinders, 4, "cylinders");
  expect_first_cells(spheres, 0.7, "spheres");
  expect_first_cells(cells, 7, "cells");
}

}  // namespace
}  // namespace taihu::neutron
