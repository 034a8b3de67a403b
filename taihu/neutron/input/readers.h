// SPDX-License-Identifier: Apache-2.0
// The readers of the parts of a model. Ids of the user become indices; `Ids` maps ids to indices for the
// later parts.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "taihu/neutron/input/element.h"
#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

struct Ids {
  std::map<int, int> surfaces, cells, universes, materials, lattices, meshes, filters;
  std::set<std::string>
      nuclides;  ///< that tallies may name: with data, or multi-group the materials' macroscopics
};

/// Material definitions, and the path of the library in `library_path` (empty: none given).
void read_materials(Element root, Model& model, Ids& ids, std::string& library_path);
void read_geometry(Element root, Model& model, Ids& ids);
void read_settings(Element root, Model& model, Ids& ids);
/// Of one <source>. `meshes`: of the settings, by id.
Source read_source(Element element, const Model& model, const Ids& ids, const std::map<int, Mesh>& meshes);
/// OpenMC's source where the model has none: a point at the origin, isotropic, the spectrum of fission
/// ("<source> Element" in its "Settings Specification"; parameters as in its src/settings.cpp).
Source default_source();
/// The particles of a file, whose name is relative to the model's folder; refused with the place of
/// `element`.
std::shared_ptr<const std::vector<Site>> read_sites(const Element& element, const std::string& folder,
                                                    const std::string& name);
/// Everything about weight windows in <settings>.
void read_weight_windows(Element& root, const std::map<int, Mesh>& meshes, Model& model);
/// The index of what has this id of the user, refused with the place of `element` if there is none.
int index_of(const Element& element, const std::map<int, int>& known, const std::string& what, int id);
void read_tallies(Element root, Model& model, Ids& ids);
Mesh read_mesh(Element element);
/// From three angles in degrees or nine elements of a matrix.
Rotation read_rotation(const Element& element, const std::vector<double>& numbers);
/// Type and threshold.
Trigger read_trigger(Element& element);

}  // namespace taihu::neutron
