// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/summary.h"

#include <set>

#include "taihu/base/output_file.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/output/file_head.h"

namespace taihu::neutron {
namespace {

std::vector<double> list(const Vector& v) {
  return {v.x, v.y, v.z};
}

void write_surfaces(Hdf5File& file, const Geometry& geometry) {
  file.make_group("/geometry/surfaces");
  for (const Surface& surface : geometry.surfaces) {
    const std::string place = "/geometry/surfaces/surface " + std::to_string(surface.id);
    file.make_group(place);
    if (!surface.name.empty()) file.write_text(place + "/name", surface.name);
    file.write_text(place + "/geom_type", "csg");
    file.write_text(place + "/type", name_of(surface.type));
    const int count = coefficient_count(surface.type);
    file.write(place + "/coefficients", {surface.coefficients.begin(), surface.coefficients.begin() + count});
    file.write_text(place + "/boundary_type", name_of(surface.boundary));
    if (surface.albedo != 1) file.write_text(place + "/albedo", std::to_string(surface.albedo));
    if (surface.boundary == Boundary::periodic)
      file.write_integer(place + "/periodic_surface_id", geometry.surface(surface.periodic_partner).id);
  }
}

/// K, of each material that fills the cell; 0 in a void, as OpenMC has it.
std::vector<double> temperatures_of(const Model& model, const Cell& cell, const CellText& text) {
  if (!text.temperatures.empty()) return text.temperatures;
  std::vector<MaterialId> materials{cell.material()};
  if (cell.distributed >= 0 && !model.geometry.distributed[cell.distributed].materials.empty())
    materials = model.geometry.distributed[cell.distributed].materials;
  std::vector<double> temperatures;
  for (const MaterialId id : materials) {
    const double own = id ? model.materials[id.index()].temperature : 0;
    temperatures.push_back(own >= 0 ? own : model.settings.temperature_default);
  }
  return temperatures;
}

void write_cells(Hdf5File& file, const Model& model) {
  const Geometry& geometry = model.geometry;
  file.make_group("/geometry/cells");
  for (std::size_t i = 0; i < geometry.cells.size(); ++i) {
    const Cell& cell = geometry.cells[i];
    const CellText& text = geometry.cell_texts[i];
    const std::string place = "/geometry/cells/cell " + std::to_string(cell.id);
    file.make_group(place);
    if (!text.name.empty()) file.write_text(place + "/name", text.name);
    file.write_text(place + "/geom_type", "csg");
    file.write_integer(place + "/universe", geometry.universe(cell.universe).id);
    if (!text.region.empty()) file.write_text(place + "/region", text.region);
    if (cell.fill == Fill::material) {
      file.write_text(place + "/fill_type", "material");
      const auto id_of = [&](MaterialId id) { return id ? model.materials[id.index()].id : -1; };
      std::vector<int> materials;
      if (cell.distributed >= 0)
        for (const MaterialId id : geometry.distributed[cell.distributed].materials)
          materials.push_back(id_of(id));
      if (materials.empty())
        file.write_integer(place + "/material", id_of(cell.material()));
      else
        file.write_integers(place + "/material", materials);
      file.write(place + "/temperature", temperatures_of(model, cell, text));
      if (!text.densities.empty()) file.write(place + "/density", text.densities);
    } else if (cell.fill == Fill::universe) {
      file.write_text(place + "/fill_type", "universe");
      file.write_integer(place + "/fill", geometry.universe(cell.filling_universe()).id);
      if (cell.moved) file.write(place + "/translation", list(cell.translation));
      if (cell.rotation >= 0) file.write(place + "/rotation", text.rotation_degrees);
    } else {
      file.write_text(place + "/fill_type", "lattice");
      file.write_integer(place + "/lattice", geometry.lattice(cell.lattice()).id);
    }
  }
}

void write_universes(Hdf5File& file, const Geometry& geometry) {
  file.make_group("/geometry/universes");
  for (const Universe& universe : geometry.universes) {
    const std::string place = "/geometry/universes/universe " + std::to_string(universe.id);
    file.make_group(place);
    file.write_text(place + "/geom_type", "csg");
    std::vector<int> cells;
    for (const CellId cell : universe.cells) cells.push_back(geometry.cell(cell).id);
    file.write_integers(place + "/cells", cells);
  }
}

/// In this file rectangular lattices have their rows from top to bottom. Hexagonal ones have our order.
void write_lattice_universes(Hdf5File& file, const std::string& place, const Geometry& geometry,
                             const Lattice& lattice) {
  std::vector<std::int64_t> ids;
  for (int z = 0; z < lattice.shape[2]; ++z)
    for (int row = 0; row < lattice.shape[1]; ++row)
      for (int x = 0; x < lattice.shape[0]; ++x) {
        const int y = lattice.type == LatticeType::rectangular ? lattice.shape[1] - 1 - row : row;
        const UniverseId universe =
            lattice.universes[(static_cast<std::size_t>(z) * lattice.shape[1] + y) * lattice.shape[0] + x];
        ids.push_back(universe ? geometry.universe(universe).id : -1);
      }
  file.write_integers(place + "/universes", ids, {lattice.shape[2], lattice.shape[1], lattice.shape[0]});
}

void write_lattices(Hdf5File& file, const Geometry& geometry) {
  file.make_group("/geometry/lattices");
  for (const Lattice& lattice : geometry.lattices) {
    const std::string place = "/geometry/lattices/lattice " + std::to_string(lattice.id);
    file.make_group(place);
    if (!lattice.name.empty()) file.write_text(place + "/name", lattice.name);
    file.write_integer(place + "/outer", lattice.outer ? geometry.universe(lattice.outer).id : -1);
    const bool deep = lattice.is_3d;
    if (lattice.type == LatticeType::rectangular) {
      const std::size_t axes = deep ? 3 : 2;
      std::vector<double> pitch = list(lattice.pitch), origin = list(lattice.origin);
      std::vector<int> shape(lattice.shape.begin(), lattice.shape.end());
      pitch.resize(axes), origin.resize(axes), shape.resize(axes);
      file.write_text(place + "/type", "rectangular");
      file.write(place + "/pitch", pitch);
      file.write_integers(place + "/dimension", shape);
      file.write(place + "/lower_left", origin);
    } else {
      file.write_text(place + "/type", "hexagonal");
      file.write_text(place + "/orientation", lattice.type == LatticeType::hexagonal_x ? "x" : "y");
      file.write_integer(place + "/n_rings", lattice.rings());
      file.write_integer(place + "/n_axial", lattice.shape[2]);
      std::vector<double> centre = list(lattice.origin);
      centre.resize(deep ? 3 : 2);
      file.write(place + "/center", centre);
      file.write(place + "/pitch", deep ? std::vector<double>{lattice.pitch.x, lattice.pitch.z}
                                        : std::vector<double>{lattice.pitch.x});
    }
    write_lattice_universes(file, place, geometry, lattice);
  }
}

/// Composition of a material with continuous energy; its nuclides are added to `all`.
void write_nuclides(Hdf5File& file, const std::string& place, const Material& material,
                    std::set<std::string>& all) {
  std::vector<std::string> names, tables;
  double density = 0;
  for (const Material::Constituent& part : material.constituents) names.push_back(part.nuclide);
  for (const Material::ThermalUse& use : material.thermal) tables.push_back(use.table);
  for (const double atoms : material.atom_densities) density += atoms;
  file.write_number(place + "/atom_density", density);
  file.write_texts(place + "/nuclides", names);
  file.write(place + "/nuclide_densities", material.atom_densities);
  if (!tables.empty()) file.write_texts(place + "/sab_names", tables);
  all.insert(names.begin(), names.end());
}

void write_materials(Hdf5File& file, const Model& model) {
  file.make_group("/materials");
  file.write_attribute("/materials", "n_materials", static_cast<std::int64_t>(model.materials.size()));
  std::set<std::string> names, nuclides;
  for (const Material& material : model.materials) {
    const std::string place = "/materials/material " + std::to_string(material.id);
    file.make_group(place);
    file.write_attribute(place, "depletable", static_cast<std::int64_t>(material.depletable));
    if (material.volume >= 0) file.write_number_attribute(place, "volume", material.volume);
    if (material.temperature > 0) file.write_number_attribute(place, "temperature", material.temperature);
    if (!material.name.empty()) file.write_text(place + "/name", material.name);
    if (model.nuclear) {
      write_nuclides(file, place, material, nuclides);
      continue;
    }
    file.write_number(place + "/atom_density", material.parts[0].density);
    file.write_texts(place + "/macroscopics", material.macroscopics);
    names.insert(material.macroscopics.begin(), material.macroscopics.end());
  }
  file.make_group("/macroscopics");
  file.write_attribute("/macroscopics", "n_macroscopics", static_cast<std::int64_t>(names.size()));
  if (!names.empty()) file.write_texts("/macroscopics/names", {names.begin(), names.end()});
  file.make_group("/nuclides");
  file.write_attribute("/nuclides", "n_nuclides", static_cast<std::int64_t>(nuclides.size()));
  if (nuclides.empty()) return;
  std::vector<double> masses;
  for (const std::string& name : nuclides)
    for (const auto& data : model.nuclear->library)
      if (data->name == name) masses.push_back(data->awr);
  file.write_texts("/nuclides/names", {nuclides.begin(), nuclides.end()});
  file.write("/nuclides/awrs", masses);
}

void write_tally_names(Hdf5File& file, const Model& model) {
  if (model.tallies.empty()) return;
  file.make_group("/tallies");
  for (const Tally& tally : model.tallies) {
    const std::string place = "/tallies/tally " + std::to_string(tally.id);
    file.make_group(place);
    file.write_text(place + "/name", tally.name);
  }
}

void write_all(const Model& model, const std::string& path) {
  Hdf5File file(path, Hdf5File::Mode::create);
  write_file_head(file, "summary", {6, 1});
  const Geometry& geometry = model.geometry;
  file.make_group("/geometry");
  const auto count = [&](const char* name, std::size_t size) {
    file.write_attribute("/geometry", name, static_cast<std::int64_t>(size));
  };
  count("n_cells", geometry.cells.size());
  count("n_surfaces", geometry.surfaces.size());
  count("n_universes", geometry.universes.size());
  count("n_lattices", geometry.lattices.size());
  write_surfaces(file, geometry);
  write_cells(file, model);
  write_universes(file, geometry);
  write_lattices(file, geometry);
  write_materials(file, model);
  write_tally_names(file, model);
  file.close();
}

}  // namespace

void write_summary(const Model& model, const std::string& path) {
  write_and_replace(path, [&](const std::string& temporary) { write_all(model, temporary); });
}

}  // namespace taihu::neutron
