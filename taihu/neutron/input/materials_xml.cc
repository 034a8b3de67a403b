// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/input/readers.h"

namespace taihu::neutron {
namespace {

double density_of(Element material) {
  std::optional<Element> density = material.child("density");
  if (!density) return 1;
  const std::string units = density->text("units", "macro");
  density->require(
      units == "macro",
      "units \"" + units + "\" are not supported with multi-group cross sections; write units=\"macro\"");
  const double value = density->number("value", 1);
  density->require(value > 0, "\"value\" has to be positive");
  density->finish();
  return value;
}

Material read_material(Element element, std::vector<std::string>& names) {
  Material material;
  material.id = element.integer("id");
  material.name = element.text("name", "");
  element.ignore("depletable");  // says something to depletion codes only
  element.ignore("volume");      // the same
  const double density = density_of(element);
  element.ignore("density");
  for (Element macroscopic : element.children("macroscopic")) {
    const std::string name = macroscopic.text("name");
    macroscopic.finish();
    material.macroscopics.push_back(name);
    std::size_t index = 0;
    while (index < names.size() && names[index] != name) ++index;
    if (index == names.size()) names.push_back(name);
    material.parts.push_back({static_cast<int>(index), density});
  }
  element.finish();
  element.require(
      material.macroscopics.size() == 1,
      "a material has exactly one <macroscopic> in a multi-group model; nuclides and continuous-energy "
      "data are not supported");
  return material;
}

}  // namespace

void read_materials(Element root, Model& model, Ids& ids, std::string& library_path) {
  library_path = root.text("cross_sections", "");
  std::vector<std::string> names;
  for (Element element : root.children("material")) {
    Material material = read_material(element, names);
    element.require(ids.materials.emplace(material.id, static_cast<int>(model.materials.size())).second,
                    "material " + std::to_string(material.id) + " is there twice");
    model.materials.push_back(std::move(material));
  }
  root.finish();
  root.require(!model.materials.empty(), "there is no <material>");
}

}  // namespace taihu::neutron
