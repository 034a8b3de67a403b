// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/geometry/instances.h"

#include <limits>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

std::string element_text(const Lattice& lattice, int index) {
  const bool hexagonal = lattice.type != LatticeType::rectangular;
  const int middle = hexagonal ? lattice.rings() - 1 : 0;
  const int row = index / lattice.shape[0];
  std::string text = std::to_string(index % lattice.shape[0] - middle) + "," +
                     std::to_string(row % lattice.shape[1] - middle);
  if (lattice.is_3d) text += "," + std::to_string(row / lattice.shape[1]);
  return text;
}

}  // namespace

InstanceTable::InstanceTable(const Geometry& geometry, UniverseId universe)
    : universe_(universe),
      root_(geometry.root),
      counts_(geometry.universes.size(), -1),
      cell_offsets_(geometry.cells.size()),
      element_offsets_(geometry.lattices.size()) {
  count_below(geometry, root_);
}

std::int64_t InstanceTable::count_below(const Geometry& geometry, UniverseId universe) {
  std::int64_t& known = counts_[universe.index()];
  if (known >= 0) return known;
  if (universe == universe_) return known = 1;
  std::int64_t sum = 0;
  const auto add = [&](std::int64_t count) {
    sum += count;
    check_input(
        sum <= std::numeric_limits<int>::max(),
        "universe " + std::to_string(geometry.universe(universe_).id) + " has more than 2^31 instances");
  };
  for (const CellId index : geometry.universe(universe).cells) {
    const Cell& cell = geometry.cell(index);
    cell_offsets_[index.index()] = static_cast<int>(sum);
    if (cell.fill == Fill::universe) add(count_below(geometry, cell.filling_universe()));
    if (cell.fill != Fill::lattice) continue;
    const Lattice& lattice = geometry.lattice(cell.lattice());
    const std::int64_t before = sum;
    std::vector<int> offsets;
    for (const UniverseId element : lattice.universes) {
      offsets.push_back(static_cast<int>(sum - before));
      if (element) add(count_below(geometry, element));
    }
    element_offsets_[cell.lattice().index()] = std::move(offsets);
  }
  return counts_[universe.index()] = sum;
}

std::string InstanceTable::path(const Geometry& geometry, int instance, CellId target) const {
  std::string text;
  UniverseId universe = root_;
  int rest = instance;
  for (;;) {
    text += "u" + std::to_string(geometry.universe(universe).id) + "->";
    if (universe == universe_) return text + "c" + std::to_string(geometry.cell(target).id);
    // The last cell, and the last element, with at most `rest` instances before it.
    const Cell* cell = nullptr;
    for (const CellId index : geometry.universe(universe).cells)
      if (geometry.cell(index).fill != Fill::material && cell_offsets_[index.index()] <= rest)
        cell = &geometry.cell(index);
    if (cell == nullptr) return text;
    rest -= cell_offsets_[cell - geometry.cells.data()];
    text += "c" + std::to_string(cell->id) + "->";
    if (cell->fill == Fill::universe) {
      universe = cell->filling_universe();
      continue;
    }
    const Lattice& lattice = geometry.lattice(cell->lattice());
    const std::vector<int>& offsets = element_offsets_[cell->lattice().index()];
    std::size_t element = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i)
      if (lattice.universes[i] && offsets[i] <= rest) element = i;
    rest -= offsets[element];
    text += "l" + std::to_string(lattice.id) + "(" + element_text(lattice, static_cast<int>(element)) + ")->";
    universe = lattice.universes[element];
  }
}

}  // namespace taihu::neutron
