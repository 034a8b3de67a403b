// SPDX-License-Identifier: Apache-2.0
// Numbers and paths of instances against a list made by walking through the model.
#include "taihu/neutron/geometry/instances.h"

#include <gtest/gtest.h>

#include <functional>

#include "taihu/neutron/particle/random.h"
#include "taihu/neutron/test_models.h"

namespace taihu::neutron {
namespace {

std::string element_name(const Lattice& lattice, int index) {
  const int x = index % lattice.shape[0], y = index / lattice.shape[0] % lattice.shape[1];
  const int z = index / lattice.shape[0] / lattice.shape[1];
  const int middle = lattice.type == LatticeType::rectangular ? 0 : lattice.rings() - 1;
  return "l" + std::to_string(lattice.id) + "(" + std::to_string(x - middle) + "," +
         std::to_string(y - middle) + (lattice.is_3d ? "," + std::to_string(z) : "") + ")";
}

/// Paths to all instances of a cell, in order.
std::vector<std::string> all_paths(const Geometry& geometry, CellId target) {
  std::vector<std::string> paths;
  const std::function<void(UniverseId, const std::string&)> walk = [&](UniverseId universe,
                                                                       const std::string& above) {
    for (const CellId index : geometry.universe(universe).cells) {
      const Cell& cell = geometry.cell(index);
      const std::string here =
          above + "u" + std::to_string(geometry.universe(universe).id) + "->c" + std::to_string(cell.id);
      if (index == target) paths.push_back(here);
      if (cell.fill == Fill::universe) walk(cell.filling_universe(), here + "->");
      if (cell.fill != Fill::lattice) continue;
      const Lattice& lattice = geometry.lattice(cell.lattice());
      for (std::size_t i = 0; i < lattice.universes.size(); ++i)
        if (lattice.universes[i])
          walk(lattice.universes[i], here + "->" + element_name(lattice, static_cast<int>(i)) + "->");
    }
  };
  walk(geometry.root, "");
  return paths;
}

/// Path to the cell on a level of a location; empty where it is in an outer universe.
std::string path_of(const Geometry& geometry, const Location& location, int level) {
  std::string path;
  for (int at = 0; at <= level; ++at) {
    const Location::Level& here = location.levels[at];
    if (here.lattice) {
      if (here.element < 0) return "";
      path += element_name(geometry.lattice(here.lattice), here.element) + "->";
    }
    path += "u" + std::to_string(geometry.universe(here.universe).id) + "->c" +
            std::to_string(geometry.cell(here.cell).id) + (at < level ? "->" : "");
  }
  return path;
}

TEST(Instances, AreNumberedAsAWalkThroughTheModelMeetsThem) {
  for (const char* name : {"rectangular", "hexagonal", "rotated", "boolean"}) {
    const Model model = test_model(name);
    const Geometry& geometry = model.geometry;
    for (std::size_t i = 0; i < geometry.cells.size(); ++i) {
      const CellId cell(i);
      const std::vector<std::string> paths = all_paths(geometry, cell);
      const InstanceTable table(geometry, geometry.cell(cell).universe);
      ASSERT_EQ(table.count(), static_cast<int>(paths.size())) << name;
      for (int at = 0; at < table.count(); ++at) EXPECT_EQ(table.path(geometry, at, cell), paths[at]) << name;
    }
    EXPECT_EQ(InstanceTable(geometry, geometry.root).count(), 1);
  }
}

TEST(Instances, OfAPointIsTheOneOnItsWayFromTheRoot) {
  int outer = 0, inner = 0;
  for (const char* name : {"rectangular", "hexagonal", "rotated"}) {
    const Model model = test_model(name);
    const Geometry& geometry = model.geometry;
    CellMemory memory(geometry);
    Stream random(5, StreamUse::source, 0, 0);
    for (int i = 0; i < 2000; ++i) {
      const Vector r{6 * random.uniform() - 3, 6 * random.uniform() - 3, 6 * random.uniform() - 3};
      Location location;
      ASSERT_TRUE(locate(geometry, memory, r, {0, 0, 1}, location));
      for (int level = 0; level < location.depth; ++level) {
        const CellId cell = location.levels[level].cell;
        const InstanceTable table(geometry, geometry.cell(cell).universe);
        const int number = table.number(location, level);
        const std::string path = path_of(geometry, location, level);
        ++(path.empty() ? outer : inner);
        if (path.empty())
          EXPECT_EQ(number, -1);
        else
          EXPECT_EQ(table.path(geometry, number, cell), path);
      }
    }
  }
  EXPECT_GT(outer, 100);
  EXPECT_GT(inner, 10000);
}

}  // namespace
}  // namespace taihu::neutron
