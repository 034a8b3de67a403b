// SPDX-License-Identifier: Apache-2.0
#include "bench/rmc_paper/model.h"

#include <algorithm>

#include "taihu/base/error.h"
#include "taihu/neutron/input/text_library.h"

namespace taihu::listed {
namespace {

List<double> listed(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

Material listed_material(const neutron::MultigroupData& data) {
  check_input(data.moments == 1 && data.format == neutron::AngleFormat::legendre,
              data.name + ": scattering is not isotropic; listed transport knows no angles");
  check_input(data.multiplicity.empty() && !data.chi_by_group,
              data.name + ": has multiplicities or several fission spectra; listed transport has one");
  Material material{.total = listed(data.total),
                    .absorption = listed(data.absorption),
                    .fission = listed(data.fission),
                    .nu_fission = listed(data.nu_fission),
                    .spectrum = listed(data.chi),
                    .scatter = {}};
  const auto groups = static_cast<std::size_t>(data.groups);
  material.fission.resize(groups);
  material.nu_fission.resize(groups);
  for (std::size_t from = 0; from < groups; ++from)
    material.scatter.emplace_back(data.scatter.begin() + static_cast<std::ptrdiff_t>(from * groups),
                                  data.scatter.begin() + static_cast<std::ptrdiff_t>((from + 1) * groups));
  return material;
}

/// In the order of the model.
List<Material> listed_materials(const neutron::Model& model, const std::string& library) {
  List<Material> materials;
  for (const neutron::Material& material : model.materials) {
    check_input(material.parts.size() == 1 && material.parts[0].density == 1,
                material.place + "listed transport knows materials of one entry with density 1");
    materials.push_back(
        listed_material(neutron::read_text_library(library, material.macroscopics).data.at(0)));
  }
  return materials;
}

Cell listed_cell(const neutron::Geometry& geometry, const neutron::Cell& cell) {
  check_input(!cell.moved && cell.distributed < 0, "cell " + std::to_string(cell.id) +
                                                       ": is moved or differs by instance, which listed "
                                                       "transport does not know");
  Cell listed{.half_spaces = {}, .fill = cell.fill, .target = cell.target};
  for (const neutron::HalfSpaceTest& test : geometry.tests_of(cell)) {
    check_input(test.if_false == neutron::HalfSpaceTest::outside,
                "cell " + std::to_string(cell.id) + ": is not an intersection of half-spaces");
    listed.half_spaces.push_back({test.surface.index(), test.positive});
  }
  return listed;
}

void check_boundary(const neutron::Surface& surface) {
  check_input(
      surface.boundary == neutron::Boundary::transmission || surface.boundary == neutron::Boundary::vacuum ||
          (surface.boundary == neutron::Boundary::reflective && surface.albedo == 1),
      "surface " + std::to_string(surface.id) + ": listed transport knows vacuum and full reflection");
}

Tally listed_tally(const neutron::Model& model, const neutron::Tally& tally) {
  const bool known =
      tally.filters.size() == 1 && model.filters[tally.filters[0]].type == neutron::FilterType::mesh &&
      !model.filters[tally.filters[0]].moved && tally.scores == std::vector{neutron::Score::fission};
  check_input(known, tally.place + "listed transport knows fission rates on one mesh");
  return {.mesh = model.meshes[model.filters[tally.filters[0]].bins[0]]};
}

}  // namespace

Model listed_model(const neutron::Model& model, const std::string& library) {
  check_input(model.nuclear == nullptr && model.settings.mode == neutron::RunMode::eigenvalue,
              "listed transport runs multi-group eigenvalue problems");
  const neutron::Geometry& geometry = model.geometry;
  check_input(!geometry.inner_boundaries, "listed transport knows boundaries of the root universe only");
  Model listed;
  listed.materials = listed_materials(model, library);
  for (const neutron::Surface& surface : geometry.surfaces) {
    check_boundary(surface);
    listed.surfaces.push_back(surface);
  }
  for (const neutron::Cell& cell : geometry.cells) listed.cells.push_back(listed_cell(geometry, cell));
  for (const neutron::Universe& universe : geometry.universes) {
    Universe& made = listed.universes.emplace_back();
    for (const neutron::CellId cell : universe.cells) made.cells.push_back(cell.index());
  }
  for (const neutron::Lattice& lattice : geometry.lattices) {
    Lattice& made = listed.lattices.emplace_back();
    made.form = lattice;
    for (const neutron::UniverseId universe : lattice.universes) made.universes.push_back(universe.index());
    made.form.universes.clear();
  }
  for (const neutron::Tally& tally : model.tallies) listed.tallies.push_back(listed_tally(model, tally));
  listed.root = geometry.root.index();
  listed.groups = model.data.groups();
  return listed;
}

}  // namespace taihu::listed
