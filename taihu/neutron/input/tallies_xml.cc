// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "taihu/neutron/input/readers.h"

namespace taihu::neutron {
namespace {

FilterType filter_type(Element& element) {
  const std::string name = element.text("type");
  for (int i = 0; i <= static_cast<int>(FilterType::surface); ++i)
    if (name == name_of(static_cast<FilterType>(i))) return static_cast<FilterType>(i);
  element.fail("filter \"" + name + "\" is not supported");
}

Score score_named(Element& element, const std::string& name) {
  for (int i = 0; i <= static_cast<int>(Score::events); ++i)
    if (name == name_of(static_cast<Score>(i))) return static_cast<Score>(i);
  element.fail("score \"" + name + "\" is not supported");
}

const std::map<int, int>& ids_of(FilterType type, const Ids& ids) {
  switch (type) {
    case FilterType::cell:
      return ids.cells;
    case FilterType::material:
      return ids.materials;
    case FilterType::universe:
      return ids.universes;
    case FilterType::surface:
      return ids.surfaces;
    default:
      return ids.meshes;
  }
}

void read_filter(Element element, Model& model, Ids& ids) {
  Filter filter;
  filter.id = element.integer("id");
  filter.type = filter_type(element);
  if (filter.type == FilterType::energy || filter.type == FilterType::energyout) {
    filter.energies = element.numbers("bins");
    element.require(
        filter.energies.size() >= 2 && std::adjacent_find(filter.energies.begin(), filter.energies.end(),
                                                          std::greater_equal<>()) == filter.energies.end(),
        "\"bins\" has at least two energies that rise");
    filter.bin_count = static_cast<int>(filter.energies.size()) - 1;
  } else {
    filter.bin_ids = element.integers("bins");
    element.require(!filter.bin_ids.empty(), "\"bins\" is empty");
    for (const int id : filter.bin_ids) {
      const std::map<int, int>& known = ids_of(filter.type, ids);
      const auto found = known.find(id);
      element.require(found != known.end(),
                      "there is no " + std::string(name_of(filter.type)) + " " + std::to_string(id));
      element.require(std::find(filter.bins.begin(), filter.bins.end(), found->second) == filter.bins.end(),
                      std::to_string(id) + " is in \"bins\" twice");
      filter.bins.push_back(found->second);
    }
    filter.bin_count = static_cast<int>(filter.bins.size());
    if (filter.type == FilterType::mesh) {
      element.require(filter.bins.size() == 1, "a mesh filter has one mesh");
      element.require(element.text("translation", "") == "", "a translated mesh is not supported");
      filter.bin_count = model.meshes[filter.bins[0]].size();
    }
  }
  element.finish();
  element.require(ids.filters.emplace(filter.id, static_cast<int>(model.filters.size())).second,
                  "filter " + std::to_string(filter.id) + " is there twice");
  model.filters.push_back(std::move(filter));
}

Tally read_tally(Element element, const Ids& ids, bool& multiply) {
  Tally tally;
  tally.id = element.integer("id");
  tally.name = element.text("name", "");
  if (element.has("filters"))
    for (const int id : element.integers("filters")) {
      const auto found = ids.filters.find(id);
      element.require(found != ids.filters.end(), "there is no filter " + std::to_string(id));
      tally.filters.push_back(found->second);
    }
  for (const std::string& name : element.words("scores")) tally.scores.push_back(score_named(element, name));
  element.require(!tally.scores.empty(), "\"scores\" is empty");
  const std::string estimator = element.text("estimator", "automatic");
  if (estimator == "tracklength")
    tally.estimator = Estimator::tracklength;
  else if (estimator == "collision")
    tally.estimator = Estimator::collision;
  else if (estimator == "analog")
    tally.estimator = Estimator::analog;
  else
    element.require(estimator == "automatic", "estimator \"" + estimator + "\" is not known");
  element.require(element.text("nuclides", "total") == "total", "nuclides are not supported, only \"total\"");
  multiply = element.boolean("multiply_density", true);
  element.require(multiply, "multiply_density false is not supported");
  element.finish();
  return tally;
}

}  // namespace

RegularMesh read_mesh(Element element) {
  RegularMesh mesh;
  mesh.id = element.integer("id");
  mesh.name = element.text("name", "");
  const std::string type = element.text("type", "regular");
  element.require(type == "regular", "mesh type \"" + type + "\" is not supported");
  const std::vector<int> shape = element.integers("dimension");
  const std::vector<double> lower = element.numbers("lower_left");
  element.require(!shape.empty() && shape.size() <= 3 && lower.size() == shape.size(),
                  "\"dimension\" and \"lower_left\" have one to three numbers");
  element.require(element.has("width") != element.has("upper_right"),
                  "a mesh has \"upper_right\" or \"width\"");
  const bool has_width = element.has("width");
  const std::vector<double> size = element.numbers(has_width ? "width" : "upper_right");
  element.require(size.size() == shape.size(),
                  "\"upper_right\" or \"width\" has as many numbers as \"dimension\"");
  mesh.dimensions = static_cast<int>(shape.size());
  std::int64_t count = 1;
  for (int i = 0; i < mesh.dimensions; ++i) {
    element.require(shape[i] > 0, "\"dimension\" has to be positive");
    count *= shape[i];
    element.require(count <= 1'000'000'000, "more than 10^9 mesh cells");
    mesh.shape[i] = shape[i];
    mesh.lower[i] = lower[i];
    mesh.width[i] = has_width ? size[i] : (size[i] - lower[i]) / shape[i];
    element.require(mesh.width[i] > 0, "the mesh has no width");
  }
  element.finish();
  return mesh;
}

void read_tallies(Element root, Model& model, Ids& ids) {
  for (const Element& element : root.children("mesh")) {
    const RegularMesh mesh = read_mesh(element);
    element.require(ids.meshes.emplace(mesh.id, static_cast<int>(model.meshes.size())).second,
                    "mesh " + std::to_string(mesh.id) + " is there twice");
    model.meshes.push_back(mesh);
  }
  for (const Element& element : root.children("filter")) read_filter(element, model, ids);
  for (const Element& element : root.children("tally")) {
    bool multiply = true;
    Tally tally = read_tally(element, ids, multiply);
    for (const Tally& other : model.tallies)
      element.require(other.id != tally.id, "tally " + std::to_string(tally.id) + " is there twice");
    model.tallies.push_back(std::move(tally));
  }
  root.finish();
}

}  // namespace taihu::neutron
