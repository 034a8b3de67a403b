// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "taihu/neutron/input/readers.h"

namespace taihu::neutron {
namespace {

double density_of(Element material) {
  std::optional<Element> density = material.child("density");
  material.require(density.has_value(),
                   "<density> is missing; units=\"macro\" value=\"1\" is the library's own");
  const std::string units = density->text("units", "macro");
  density->require(
      units == "macro",
      "units \"" + units + "\" are not supported with multi-group cross sections; write units=\"macro\"");
  const double value = density->number("value", 1);
  density->require(value > 0, "\"value\" has to be positive");
  density->finish();
  return value;
}

/// The part that both kinds of materials have.
Material read_head(Element& element) {
  Material material;
  material.id = element.id();
  material.place = element.place();
  material.name = element.text("name", "");
  material.depletable = element.boolean("depletable", false);
  if (element.has("volume")) {
    material.volume = element.number("volume");
    element.require(material.volume >= 0, "\"volume\" must not be negative");
  }
  return material;
}

void read_density(Element& element, Material& material) {
  std::optional<Element> density = element.child("density");
  element.require(density.has_value(), "<density> is missing");
  material.density_units = density->text("units");
  const std::set<std::string> known{"g/cc", "g/cm3", "kg/m3", "atom/b-cm", "atom/cm3", "sum"};
  density->require(known.contains(material.density_units),
                   "units \"" + material.density_units + "\" are not supported");
  if (material.density_units == "sum") {
    density->ignore("value");  // the sum of the amounts
  } else {
    material.density = density->number("value");
    density->require(material.density > 0, "\"value\" has to be positive");
  }
  density->finish();
}

void read_nuclide(Element element, Material& material) {
  Material::Constituent part;
  part.nuclide = element.text("name");
  element.require(!part.nuclide.empty(), "\"name\" is empty");
  element.require(element.has("ao") != element.has("wo"), "a nuclide has either \"ao\" or \"wo\"");
  part.by_weight = element.has("wo");
  part.amount = element.number(part.by_weight ? "wo" : "ao");
  element.require(part.amount > 0, "the amount has to be positive");
  element.finish();
  element.require(material.constituents.empty() || material.constituents[0].by_weight == part.by_weight,
                  "amounts have to be all \"ao\" or all \"wo\"");
  for (const Material::Constituent& other : material.constituents)
    element.require(other.nuclide != part.nuclide, part.nuclide + " is there twice");
  material.constituents.push_back(part);
}

Material read_continuous_material(Element element) {
  Material material = read_head(element);
  if (element.has("temperature")) {
    material.temperature = element.number("temperature");
    element.require(material.temperature >= 0, "\"temperature\" must not be negative");
  }
  read_density(element, material);
  for (const Element& nuclide : element.children("nuclide")) read_nuclide(nuclide, material);
  for (Element sab : element.children("sab")) {
    Material::ThermalUse use;
    use.table = sab.text("name");
    use.fraction = sab.number("fraction", 1);
    sab.require(use.fraction > 0 && use.fraction <= 1, "\"fraction\" has to be above 0 and at most 1");
    sab.finish();
    sab.require(!use.table.empty(), "\"name\" is empty");
    for (const Material::ThermalUse& other : material.thermal)
      sab.require(other.table != use.table, use.table + " is there twice");
    material.thermal.push_back(use);
  }
  if (element.has("isotropic")) material.isotropic = element.words("isotropic");
  for (const std::string& name : material.isotropic)
    element.require(std::any_of(material.constituents.begin(), material.constituents.end(),
                                [&](const auto& part) { return part.nuclide == name; }),
                    "\"isotropic\" names " + name + ", which the material does not have");
  element.require(element.children("macroscopic").empty(),
                  "<macroscopic> needs <energy_mode>multi-group</energy_mode>");
  element.finish();
  element.require(!material.constituents.empty(), "a material needs a <nuclide>");
  element.require(material.density_units != "sum" || !material.constituents[0].by_weight,
                  "density units \"sum\" need amounts \"ao\"");
  return material;
}

Material read_material(Element element, std::vector<std::string>& names) {
  Material material = read_head(element);
  const double density = density_of(element);
  element.ignore("density");
  for (Element macroscopic : element.children("macroscopic")) {
    const std::string name = macroscopic.text("name");
    macroscopic.finish();
    macroscopic.require(!name.empty() && name.find('/') == std::string::npos,
                        "\"name\" is not a name that a library can have");
    material.macroscopics.push_back(name);
    std::size_t index = 0;
    while (index < names.size() && names[index] != name) ++index;
    if (index == names.size()) names.push_back(name);
    material.parts.push_back({static_cast<int>(index), density});
  }
  element.finish();
  element.require(material.macroscopics.size() == 1,
                  "a material has exactly one <macroscopic> in a multi-group model");
  return material;
}

}  // namespace

void read_materials(Element root, Model& model, Ids& ids, std::string& library_path) {
  library_path = root.text("cross_sections", "");
  std::vector<std::string> names;
  for (Element element : root.children("material")) {
    Material material =
        model.settings.continuous ? read_continuous_material(element) : read_material(element, names);
    element.require(ids.materials.emplace(material.id, static_cast<int>(model.materials.size())).second,
                    "material " + std::to_string(material.id) + " is there twice");
    model.materials.push_back(std::move(material));
  }
  root.finish();
}

}  // namespace taihu::neutron
