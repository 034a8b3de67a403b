// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

#include "taihu/base/error.h"
#include "taihu/neutron/input/readers.h"

namespace taihu::neutron {
namespace {

constexpr std::int64_t most_lattice_elements = 100'000'000;

SurfaceType surface_type(Element& element) {
  const std::string name = element.text("type");
  for (int i = 0; i <= static_cast<int>(SurfaceType::z_torus); ++i)
    if (name == name_of(static_cast<SurfaceType>(i))) return static_cast<SurfaceType>(i);
  element.fail("type \"" + name + "\" is not supported");
}

Boundary boundary_type(Element& element) {
  const std::string name = element.text("boundary", "transmission");
  if (name == "transmit") return Boundary::transmission;
  if (name == "reflect") return Boundary::reflective;
  for (int i = 0; i <= static_cast<int>(Boundary::white); ++i)
    if (name == name_of(static_cast<Boundary>(i))) return static_cast<Boundary>(i);
  element.fail("boundary \"" + name + "\" is not supported");
}

/// Refuses surfaces without points, and numbers whose squares overflow or vanish.
void check_coefficients(const Element& element, const Surface& surface) {
  constexpr double largest = 1e100, least_radius = 1e-100;
  const auto& c = surface.coefficients;
  const auto radius = [&](double value) { return value >= least_radius; };
  for (const double value : c) element.require(std::fabs(value) <= largest, "a coefficient is beyond 1e100");
  switch (surface.type) {
    case SurfaceType::plane:
      element.require(std::hypot(c[0], c[1], c[2]) >= least_radius, "a plane needs A, B or C other than 0");
      break;
    case SurfaceType::quadric:
      element.require(std::any_of(c.begin(), c.begin() + 9, [&](double v) { return radius(std::fabs(v)); }),
                      "a quadric needs one of its first nine coefficients other than 0");
      break;
    case SurfaceType::x_cylinder:
    case SurfaceType::y_cylinder:
    case SurfaceType::z_cylinder:
      // Generated models have rings whose innermost cylinder has nothing inside.
      element.require(radius(c[2]) || c[2] == 0, "the radius has to be positive");
      break;
    case SurfaceType::sphere:
    case SurfaceType::x_cone:
    case SurfaceType::y_cone:
    case SurfaceType::z_cone:
      element.require(radius(c[3]), "the radius (or r2 of a cone) has to be positive");
      break;
    case SurfaceType::x_torus:
    case SurfaceType::y_torus:
    case SurfaceType::z_torus:
      element.require(c[3] >= 0 && radius(c[4]) && radius(c[5]), "the radii have to be positive");
      break;
    default:
      break;
  }
}

void read_surface(Element element, Model& model, Ids& ids, std::vector<int>& partners) {
  Surface surface;
  surface.id = element.integer("id");
  element.require(surface.id > 0, "\"id\" has to be positive");
  surface.name = element.text("name", "");
  surface.type = surface_type(element);
  surface.boundary = boundary_type(element);
  surface.albedo = element.number("albedo", 1);
  element.require(surface.albedo >= 0, "\"albedo\" must not be negative");
  partners.push_back(element.integer("periodic_surface_id", 0));
  element.require(partners.back() != surface.id, "a surface is not its own periodic partner");
  const std::vector<double> coefficients = element.numbers("coeffs");
  const int count = coefficient_count(surface.type);
  element.require(static_cast<int>(coefficients.size()) == count,
                  std::string(name_of(surface.type)) + " needs " + std::to_string(count) + " coefficients");
  std::copy(coefficients.begin(), coefficients.end(), surface.coefficients.begin());
  check_coefficients(element, surface);
  element.finish();
  element.require(ids.surfaces.emplace(surface.id, static_cast<int>(model.geometry.surfaces.size())).second,
                  "surface " + std::to_string(surface.id) + " is there twice");
  model.geometry.surfaces.push_back(std::move(surface));
}

UniverseId universe_index(int id, Model& model, Ids& ids) {
  const auto [entry, is_new] = ids.universes.emplace(id, static_cast<int>(model.geometry.universes.size()));
  if (is_new) model.geometry.universes.push_back({.id = id, .cells = {}});
  return UniverseId(entry->second);
}

void read_transformation(Element& element, Cell& cell, CellText& text, Geometry& geometry) {
  if (element.has("translation")) {
    const std::vector<double> t = element.numbers("translation");
    element.require(t.size() == 3, "\"translation\" has three numbers");
    cell.translation = {t[0], t[1], t[2]};
    cell.moved = true;
  }
  if (!element.has("rotation")) return;
  const std::vector<double> angles = element.numbers("rotation");
  const Rotation rotation = read_rotation(element, angles);
  text.rotation_degrees = angles;
  cell.rotation = static_cast<int>(geometry.rotations.size());
  cell.moved = true;
  geometry.rotations.push_back(rotation);
}

/// Materials of a cell: one, or one for each instance.
std::vector<MaterialId> read_fillings(Element& element, const Ids& ids) {
  std::vector<MaterialId> materials;
  for (const std::string& word : element.words("material")) {
    if (word == "void") {
      materials.emplace_back();
      continue;
    }
    int id = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    element.require(error == std::errc() && end == word.data() + word.size(),
                    "\"material\" has to be a whole number, not \"" + word + "\"");
    const auto found = ids.materials.find(id);
    element.require(found != ids.materials.end(), "there is no material " + std::to_string(id));
    materials.emplace_back(found->second);
  }
  element.require(!materials.empty(), "\"material\" is empty");
  return materials;
}

/// Temperatures or densities of a cell: one, or one for each instance.
std::vector<double> read_values(Element& element, const std::string& key, bool filled, bool continuous,
                                bool positive) {
  if (!element.has(key)) return {};
  element.require(!filled, "a " + key + " is for cells with \"material\"");
  element.require(continuous,
                  (key == "density" ? "densities" : "temperatures") +
                      std::string(" of cells need continuous-energy data; multi-group data have one "
                                  "for all"));
  const std::vector<double> values = element.numbers(key);
  element.require(!values.empty() && std::all_of(values.begin(), values.end(),
                                                 [&](double v) { return positive ? v > 0 : v >= 0; }),
                  "\"" + key + "\" has a number that is not " + (positive ? "positive" : "at least 0 K"));
  return values;
}

/// Cells whose instances differ. The geometry is complete.
void distribute(Geometry& geometry, const std::vector<Element>& elements,
                const std::vector<std::vector<MaterialId>>& fillings) {
  std::map<UniverseId, std::shared_ptr<const InstanceTable>> tables;
  for (std::size_t i = 0; i < geometry.cells.size(); ++i) {
    Cell& cell = geometry.cells[i];
    const CellText& text = geometry.cell_texts[i];
    if (std::max({fillings[i].size(), text.temperatures.size(), text.densities.size()}) <= 1) continue;
    std::shared_ptr<const InstanceTable>& table = tables[cell.universe];
    try {
      if (table == nullptr) table = std::make_shared<InstanceTable>(geometry, cell.universe);
    } catch (const Error& error) {
      elements[i].fail(error.what());
    }
    const auto count = static_cast<std::size_t>(table->count());
    for (const std::size_t size : {fillings[i].size(), text.temperatures.size(), text.densities.size()})
      elements[i].require(size <= 1 || size == count,
                          std::to_string(size) +
                              " values are given for the instances of the cell, which has " +
                              std::to_string(count));
    DistributedCell distributed{table, fillings[i]};
    if (distributed.materials.size() == 1) distributed.materials.assign(count, fillings[i][0]);
    cell.distributed = static_cast<int>(geometry.distributed.size());
    geometry.distributed.push_back(std::move(distributed));
  }
}

/// Fills are ids of universes or lattices that may come later: kept as they are until all are known.
void read_cell(Element element, Model& model, Ids& ids, std::vector<int>& fills,
               std::vector<std::vector<MaterialId>>& fillings) {
  Geometry& geometry = model.geometry;
  Cell cell;
  CellText text;
  cell.id = element.id();
  text.name = element.text("name", "");
  element.ignore("volume");  // used by volume calculations only
  const int universe = element.integer("universe", 0);
  element.require(universe >= 0, "\"universe\" must not be negative");
  cell.universe = universe_index(universe, model, ids);
  text.region = element.text("region", "");
  const auto index_of = [&](int id) {
    const auto found = ids.surfaces.find(id);
    element.require(found != ids.surfaces.end(), "there is no surface " + std::to_string(id));
    return SurfaceId(found->second);
  };
  std::vector<HalfSpaceTest> tests;
  try {
    tests = compile_region(text.region, index_of);
  } catch (const Error& error) {
    if (std::string(error.what()).starts_with("region")) element.fail(error.what());
    throw;
  }
  cell.first_test = static_cast<int>(geometry.tests.size());
  cell.test_count = static_cast<int>(tests.size());
  geometry.tests.insert(geometry.tests.end(), tests.begin(), tests.end());
  cell.first_surface = static_cast<int>(geometry.cell_surfaces.size());
  for (const HalfSpaceTest& test : tests)
    if (std::find(geometry.cell_surfaces.begin() + cell.first_surface, geometry.cell_surfaces.end(),
                  test.surface) == geometry.cell_surfaces.end())
      geometry.cell_surfaces.push_back(test.surface);
  cell.surface_count = static_cast<int>(geometry.cell_surfaces.size()) - cell.first_surface;
  read_transformation(element, cell, text, geometry);
  const bool filled = element.has("fill");
  element.require(filled != element.has("material"), "a cell has either \"material\" or \"fill\"");
  element.require(filled || !cell.moved, "a translation or rotation is for cells with \"fill\"");
  fillings.push_back(filled ? std::vector<MaterialId>() : read_fillings(element, ids));
  if (!filled) cell.target = fillings.back()[0].index();
  const bool continuous = model.settings.continuous;
  text.temperatures = read_values(element, "temperature", filled, continuous, false);
  text.densities = read_values(element, "density", filled, continuous, true);
  fills.push_back(filled ? element.integer("fill") : -1);
  cell.fill = filled ? Fill::universe : Fill::material;
  element.finish();
  element.require(ids.cells.emplace(cell.id, static_cast<int>(geometry.cells.size())).second,
                  "cell " + std::to_string(cell.id) + " is there twice");
  geometry.cells.push_back(cell);
  geometry.cell_texts.push_back(std::move(text));
}

UniverseId known_universe(Element& element, int id, const Ids& ids) {
  const auto found = ids.universes.find(id);
  element.require(found != ids.universes.end(), "there is no universe " + std::to_string(id));
  return UniverseId(found->second);
}

void add_lattice(Element& element, Lattice lattice, Model& model, Ids& ids) {
  element.finish();
  element.require(!ids.universes.contains(lattice.id), std::to_string(lattice.id) + " is a universe already");
  element.require(ids.lattices.emplace(lattice.id, static_cast<int>(model.geometry.lattices.size())).second,
                  "lattice " + std::to_string(lattice.id) + " is there twice");
  model.geometry.lattices.push_back(std::move(lattice));
}

void read_rectangular_lattice(Element element, Model& model, Ids& ids) {
  Lattice lattice;
  lattice.id = element.id();
  lattice.name = element.text("name", "");
  const std::vector<int> shape = element.integers("dimension");
  const std::vector<double> lower = element.numbers("lower_left"), pitch = element.numbers("pitch");
  element.require(shape.size() == 2 || shape.size() == 3, "\"dimension\" has two or three numbers");
  element.require(lower.size() == shape.size() && pitch.size() == shape.size(),
                  "\"lower_left\" and \"pitch\" have as many numbers as \"dimension\"");
  lattice.is_3d = shape.size() == 3;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    element.require(shape[i] > 0 && pitch[i] >= 1e-100, "\"dimension\" and \"pitch\" have to be positive");
    element.require(lower[i] + pitch[i] > lower[i] && std::isfinite(lower[i] + shape[i] * pitch[i]),
                    "\"pitch\" is too small or too large compared with \"lower_left\"");
    lattice.shape[i] = shape[i];
    lattice.origin[static_cast<int>(i)] = lower[i];
    lattice.pitch[static_cast<int>(i)] = pitch[i];
    count *= shape[i];
    element.require(count <= most_lattice_elements, "more than 10^8 elements");
  }
  if (element.has("outer")) lattice.outer = known_universe(element, element.integer("outer"), ids);
  const std::vector<int> universes = element.integers("universes");
  element.require(static_cast<std::int64_t>(universes.size()) == count,
                  "\"universes\" has " + std::to_string(universes.size()) + " entries instead of " +
                      std::to_string(count));
  // The file has rows from top to bottom, layers from bottom to top.
  lattice.universes.resize(count);
  std::size_t next = 0;
  for (int z = 0; z < lattice.shape[2]; ++z)
    for (int y = lattice.shape[1] - 1; y >= 0; --y)
      for (int x = 0; x < lattice.shape[0]; ++x)
        lattice.universes[(static_cast<std::size_t>(z) * lattice.shape[1] + y) * lattice.shape[0] + x] =
            known_universe(element, universes[next++], ids);
  add_lattice(element, std::move(lattice), model, ids);
}

void read_hexagonal_lattice(Element element, Model& model, Ids& ids) {
  Lattice lattice;
  lattice.id = element.id();
  lattice.name = element.text("name", "");
  const int rings = element.integer("n_rings"), layers = element.integer("n_axial", 0);
  const std::string orientation = element.text("orientation", "y");
  element.require(orientation == "x" || orientation == "y", "\"orientation\" is x or y");
  element.require(rings >= 1 && rings <= 5000 && layers >= 0 && layers <= 100000,
                  "impossible \"n_rings\" or \"n_axial\"");
  lattice.type = orientation == "x" ? LatticeType::hexagonal_x : LatticeType::hexagonal_y;
  lattice.is_3d = layers > 0;
  const std::vector<double> centre = element.numbers("center"), pitch = element.numbers("pitch");
  element.require(centre.size() == (lattice.is_3d ? 3u : 2u) && pitch.size() == (lattice.is_3d ? 2u : 1u),
                  "\"center\" and \"pitch\" have two and one numbers, three and two with \"n_axial\"");
  for (const double p : pitch)
    element.require(p > 1e-100 && p < 1e100, "\"pitch\" has to be positive and below 1e100");
  lattice.shape = {2 * rings - 1, 2 * rings - 1, std::max(1, layers)};
  lattice.origin = {centre[0], centre[1], lattice.is_3d ? centre[2] : 0};
  lattice.pitch = {pitch[0], pitch[0], lattice.is_3d ? pitch[1] : 0};
  if (element.has("outer")) lattice.outer = known_universe(element, element.integer("outer"), ids);
  const std::vector<int> universes = element.integers("universes");
  const std::size_t count = (3 * static_cast<std::size_t>(rings) * (rings - 1) + 1) * lattice.shape[2];
  element.require(universes.size() == count, "\"universes\" has " + std::to_string(universes.size()) +
                                                 " entries instead of " + std::to_string(count));
  const std::vector<std::array<int, 2>> order = hexagonal_order(lattice.type, rings);
  const std::size_t size = static_cast<std::size_t>(lattice.shape[0]) * lattice.shape[1];
  lattice.universes.assign(size * lattice.shape[2], {});
  for (std::size_t i = 0; i < universes.size(); ++i) {
    const auto [a, b] = order[i % order.size()];
    lattice.universes[i / order.size() * size + static_cast<std::size_t>(b) * lattice.shape[0] + a] =
        known_universe(element, universes[i], ids);
  }
  add_lattice(element, std::move(lattice), model, ids);
}

}  // namespace

Rotation read_rotation(const Element& element, const std::vector<double>& numbers) {
  element.require(numbers.size() == 3 || numbers.size() == 9,
                  "\"rotation\" has three angles or nine matrix elements");
  if (numbers.size() == 3) return rotation_from_degrees(numbers[0], numbers[1], numbers[2]);
  Rotation rotation;
  std::copy(numbers.begin(), numbers.end(), rotation.begin());
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double product = 0;
      for (int k = 0; k < 3; ++k) product += rotation[3 * i + k] * rotation[3 * j + k];
      element.require(std::fabs(product - (i == j ? 1 : 0)) < 1e-6, "\"rotation\" is not a rotation matrix");
    }
  return rotation;
}

void read_geometry(Element root, Model& model, Ids& ids) {
  std::vector<int> partners, fills;
  std::vector<std::vector<MaterialId>> fillings;
  const std::vector<Element> surfaces = root.children("surface"), cells = root.children("cell");
  for (const Element& element : surfaces) read_surface(element, model, ids, partners);
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (partners[i] == 0) continue;
    const auto found = ids.surfaces.find(partners[i]);
    surfaces[i].require(found != ids.surfaces.end(), "there is no surface " + std::to_string(partners[i]) +
                                                         ", which periodic_surface_id names");
    model.geometry.surfaces[i].periodic_partner = SurfaceId(found->second);
  }
  for (const Element& element : cells) read_cell(element, model, ids, fills, fillings);
  for (const Element& element : root.children("lattice")) read_rectangular_lattice(element, model, ids);
  for (const Element& element : root.children("hex_lattice")) read_hexagonal_lattice(element, model, ids);
  root.finish();
  for (std::size_t i = 0; i < fills.size(); ++i) {
    Cell& cell = model.geometry.cells[i];
    if (cell.fill == Fill::material) continue;
    const auto lattice = ids.lattices.find(fills[i]);
    const auto universe = ids.universes.find(fills[i]);
    cells[i].require(
        lattice != ids.lattices.end() || universe != ids.universes.end(),
        "it is filled with " + std::to_string(fills[i]) + ", which is neither a universe nor a lattice");
    if (lattice != ids.lattices.end()) cell.fill = Fill::lattice;
    cell.target = lattice != ids.lattices.end() ? lattice->second : universe->second;
  }
  try {
    complete(model.geometry);
  } catch (const GeometryError& error) {
    const auto [surface, cell] = error.where();
    (surface ? surfaces[surface.index()] : cell ? cells[cell.index()] : root).fail(error.what());
  }
  distribute(model.geometry, cells, fillings);
}

}  // namespace taihu::neutron
