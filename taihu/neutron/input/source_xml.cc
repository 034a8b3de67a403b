// SPDX-License-Identifier: Apache-2.0
// The sources of neutrons of a model, with their distributions.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/neutron/file/mcpl_file.h"
#include "taihu/neutron/input/distribution_xml.h"
#include "taihu/neutron/input/readers.h"

namespace taihu::neutron {
namespace {

Vector read_vector(Element& element, const std::string& key) {
  const std::vector<double> v = element.numbers(key);
  element.require(v.size() == 3, "\"" + key + "\" has three numbers");
  return {v[0], v[1], v[2]};
}

/// The mesh that `key` names.
std::shared_ptr<const Mesh> mesh_of(Element& element, const std::string& key,
                                    const std::map<int, Mesh>& meshes) {
  const auto found = meshes.find(element.integer(key));
  element.require(found != meshes.end(), "there is no mesh " + element.text(key) + " in <settings>");
  return std::make_shared<const Mesh>(found->second);
}

/// How one of several is taken; their sum is checked.
std::vector<AliasEntry> choice_among(const Element& element, const std::vector<double>& strengths) {
  double sum = 0;
  for (const double strength : strengths) {
    element.require(strength >= 0, "strengths must not be negative");
    sum += strength;
  }
  element.require(sum > 0 && std::isfinite(sum), "the strengths are all zero or have no sum");
  return make_alias_table(strengths, 0);
}

/// "strengths" of `count` points or cells; alike where there are none.
std::vector<double> read_strengths(Element& element, std::size_t count) {
  if (!element.has("strengths")) return std::vector<double>(count, 1);
  std::vector<double> strengths = element.numbers("strengths");
  element.require(strengths.size() == count, "\"strengths\" has " + std::to_string(strengths.size()) +
                                                 " numbers for " + std::to_string(count));
  return strengths;
}

void read_cloud(Element& element, Source& source) {
  source.space = Source::Space::cloud;
  const std::vector<double> v = element.numbers("coords");
  element.require(!v.empty() && v.size() % 3 == 0, "\"coords\" has three numbers for each point");
  for (std::size_t i = 0; i < v.size(); i += 3) source.points.push_back({v[i], v[i + 1], v[i + 2]});
  source.choice = choice_among(element, read_strengths(element, source.points.size()));
}

void read_space_of_mesh(Element& element, const std::map<int, Mesh>& meshes, Source& source) {
  source.space = Source::Space::mesh;
  source.mesh = mesh_of(element, "mesh_id", meshes);
  element.require(source.mesh->size() <= 10'000'000, "the mesh of a source has more than 10^7 cells");
  std::vector<double> strengths = read_strengths(element, static_cast<std::size_t>(source.mesh->size()));
  if (element.boolean("volume_normalized", true))  // as OpenMC's Python API
    for (int cell = 0; cell < source.mesh->size(); ++cell) strengths[cell] *= source.mesh->volume(cell);
  source.choice = choice_among(element, strengths);
}

void read_space(Element element, const std::map<int, Mesh>& meshes, Source& source) {
  const std::string type = element.text("type");
  if (type == "point") {
    source.space = Source::Space::point;
    source.lower = read_vector(element, "parameters");
  } else if (type == "box" || type == "fission") {
    const std::vector<double> v = element.numbers("parameters");
    element.require(v.size() == 6, "\"parameters\" has six numbers");
    source.space = Source::Space::box;
    source.lower = {v[0], v[1], v[2]};
    source.upper = {v[3], v[4], v[5]};
    element.require(v[0] <= v[3] && v[1] <= v[4] && v[2] <= v[5],
                    "the lower corner of the box is above the upper one");
    source.only_fissionable = type == "fission";
  } else if (type == "cartesian") {
    source.space = Source::Space::cartesian;
    const char* names[] = {"x", "y", "z"};
    for (int i = 0; i < 3; ++i) source.axes[i] = required_distribution(element, names[i]);
  } else if (type == "cylindrical") {
    source.space = Source::Space::cylindrical;
    if (element.has("origin")) source.lower = read_vector(element, "origin");
    source.axes[0] = required_between(element, "r", 0, infinity);
    source.axes[1] = required_distribution(element, "phi");
    source.axes[2] = required_distribution(element, "z");
  } else if (type == "spherical") {
    source.space = Source::Space::spherical;
    if (element.has("origin")) source.lower = read_vector(element, "origin");
    source.axes[0] = required_between(element, "r", 0, infinity);
    source.axes[1] = required_between(element, "cos_theta", -1, 1);
    source.axes[2] = required_distribution(element, "phi");
  } else if (type == "cloud") {
    read_cloud(element, source);
  } else if (type == "mesh") {
    read_space_of_mesh(element, meshes, source);
  } else {
    element.fail("space \"" + type + "\" is not supported");
  }
  element.finish();
}

void read_polar_azimuthal(Element& element, Source& source) {
  source.angle = Source::Angle::polar_azimuthal;
  if (element.has("reference_uvw")) source.direction = read_vector(element, "reference_uvw");
  if (element.has("reference_vwu")) source.across = read_vector(element, "reference_vwu");
  element.require(length(source.direction) > 0 && length(source.across) > 0, "a reference direction is zero");
  source.direction = unit(source.direction);
  source.across = unit(source.across);
  element.require(std::fabs(dot(source.direction, source.across)) < 1e-6,
                  "\"reference_uvw\" and \"reference_vwu\" are not at right angles");
  source.mu.type = source.phi.type = Distribution::Type::uniform;
  source.mu.a = -1, source.mu.b = 1;
  source.phi.a = 0, source.phi.b = 2 * std::numbers::pi;
  if (element.has("mu")) source.mu = required_between(element, "mu", -1, 1);
  if (std::optional<Element> phi = element.child("phi")) source.phi = read_distribution(*phi);
}

void read_angle(Element element, Source& source) {
  const std::string type = element.text("type", "isotropic");
  if (type == "monodirectional") {
    source.angle = Source::Angle::monodirectional;
    if (element.has("reference_uvw")) source.direction = read_vector(element, "reference_uvw");
    element.require(length(source.direction) > 0, "\"reference_uvw\" is zero");
    source.direction = unit(source.direction);
  } else if (type == "mu-phi") {
    read_polar_azimuthal(element, source);
  } else {
    element.require(type == "isotropic", "angle \"" + type + "\" is not supported");
  }
  element.finish();
}

template <typename Number>
void read_bounds(Element& element, const std::string& key, std::array<Number, 2>& bounds) {
  if (!element.has(key)) return;
  const std::vector<double> values = element.numbers(key);
  element.require(values.size() == 2 && values[0] < values[1], "\"" + key + "\" has two numbers that rise");
  bounds = {Number(values[0]), Number(values[1])};
}

/// Which of the sampled neutrons begin.
void read_constraints(Element& element, const Ids& ids, Source& source) {
  if (element.has("domain_type")) {
    const std::string type = element.text("domain_type");
    const bool cell = type == "cell", material = type == "material";
    element.require(cell || material || type == "universe",
                    "\"domain_type\" is cell, material or universe, not \"" + type + "\"");
    source.domain = cell       ? Source::Domain::cell
                    : material ? Source::Domain::material
                               : Source::Domain::universe;
    for (const int id : element.integers("domain_ids"))
      source.domains.push_back(index_of(element,
                                        cell       ? ids.cells
                                        : material ? ids.materials
                                                   : ids.universes,
                                        type, id));
    element.require(!source.domains.empty(), "\"domain_ids\" is empty");
  }
  read_bounds(element, "energy_bounds", source.energy_bounds);
  read_bounds(element, "time_bounds", source.time_bounds);
  source.only_fissionable = element.boolean("fissionable", source.only_fissionable);
  const std::string strategy = element.text("rejection_strategy", "resample");
  element.require(strategy == "resample" || strategy == "kill",
                  "\"rejection_strategy\" is resample or kill, not \"" + strategy + "\"");
  source.kill_rejected = strategy == "kill";
}

/// A source for each cell of a mesh.
Source read_source_of_mesh(Element& element, const Model& model, const Ids& ids,
                           const std::map<int, Mesh>& meshes) {
  Source source;
  source.place = element.place();
  source.mesh = mesh_of(element, "mesh", meshes);
  std::vector<double> strengths;
  for (Element& of_cell : element.children("source")) {
    of_cell.require(of_cell.text("type", "independent") == "independent",
                    "the source of a cell of a mesh has the type independent");
    of_cell.require(!of_cell.has("file"), "the source of a cell of a mesh is not a file");
    // Neutrons begin in the cell: OpenMC, too, does not look at a <space> here.
    source.of_cells.push_back(read_source(of_cell, model, ids, meshes));
    strengths.push_back(source.of_cells.back().strength);
  }
  element.require(strengths.size() == static_cast<std::size_t>(source.mesh->size()),
                  "it has " + std::to_string(strengths.size()) + " sources for " +
                      std::to_string(source.mesh->size()) + " cells of the mesh");
  source.choice = choice_among(element, strengths);
  source.strength = std::reduce(strengths.begin(), strengths.end());
  element.ignore("strength");  // the sum of its sources' instead, as OpenMC's
  element.finish();
  return source;
}

}  // namespace

Source default_source() {
  Source source;
  source.energy.type = Distribution::Type::watt;
  source.energy.a = 0.988e6;
  source.energy.b = 2.249e-6;
  return source;
}

std::shared_ptr<const std::vector<Site>> read_sites(const Element& element, const std::string& folder,
                                                    const std::string& name) {
  const std::filesystem::path path(name);
  element.require(path.extension() != ".gz", "compressed files are not supported; unpack it with gunzip");
  auto sites = std::make_shared<std::vector<Site>>();
  try {
    const std::string file = (path.is_relative() ? folder / path : path).string();
    for (const BankRecord& record :
         path.extension() == ".mcpl" ? read_mcpl_file(file) : read_source_file(file))
      sites->push_back({.r = {record.r[0], record.r[1], record.r[2]},
                        .u = {record.u[0], record.u[1], record.u[2]},
                        .weight = record.weight,
                        .energy = Energy(record.energy),
                        .time = record.time});
  } catch (const Error& error) {
    element.fail(error.what());
  }
  // Many were recorded on a surface, which they have to be behind.
  for (Site& site : *sites) site.r += crossing_step_cm * site.u;
  return sites;
}

Source read_source(Element element, const Model& model, const Ids& ids, const std::map<int, Mesh>& meshes) {
  const std::string type = element.text("type", element.has("file") ? "file" : "independent");
  if (type == "mesh") return read_source_of_mesh(element, model, ids, meshes);
  Source source = default_source();
  source.place = element.place();
  source.strength = element.number("strength", 1);
  element.require(source.strength >= 0, "\"strength\" must not be negative");
  element.require(type == "independent" || type == "file",
                  "source type \"" + type + "\" is not supported, but independent, file and mesh");
  element.require(element.text("particle", "neutron") == "neutron", "only neutrons are supported");
  if (type == "file") {
    source.sites = read_sites(element, model.folder, element.text("file"));
    for (const char* key : {"space", "angle", "energy", "time"})
      element.require(!element.has(key), "<" + std::string(key) + "> does not go with \"file\"");
  }
  if (std::optional<Element> space = element.child("space")) read_space(*space, meshes, source);
  if (std::optional<Element> time = element.child("time")) source.time = read_distribution(*time);
  if (std::optional<Element> angle = element.child("angle")) read_angle(*angle, source);
  if (element.has("energy")) source.energy = required_between(element, "energy", 0, infinity);
  element.require(range_of(source.energy).most > 0, "<energy> has no energy above 0");
  if (std::optional<Element> constraints = element.child("constraints")) {
    read_constraints(*constraints, ids, source);
    constraints->finish();
  } else {
    read_constraints(element, ids, source);  // as OpenMC allows it
  }
  element.finish();
  return source;
}

}  // namespace taihu::neutron
