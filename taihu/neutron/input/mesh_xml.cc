// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "taihu/neutron/input/readers.h"

namespace taihu::neutron {
namespace {

/// The edges along one axis: from 0 on where `positive`, at most `most`.
std::vector<double> read_grid(Element& element, const std::string& key, bool positive, double most) {
  std::vector<double> edges = element.numbers(key);
  element.require(edges.size() >= 2 &&
                      std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) == edges.end(),
                  "\"" + key + "\" has at least two numbers that rise");
  element.require((!positive || edges.front() >= 0) && edges.back() <= most * (1 + 1e-12),
                  "\"" + key + "\" is outside of what it can be");
  edges.back() = std::min(edges.back(), most);
  return edges;
}

/// Meshes whose cells have different widths.
void read_edges_of_mesh(Element& element, const std::string& type, Mesh& mesh) {
  constexpr double pi = std::numbers::pi;
  if (type == "rectilinear") {
    mesh.type = MeshType::rectilinear;
    const char* names[] = {"x_grid", "y_grid", "z_grid"};
    for (int axis = 0; axis < 3; ++axis) mesh.edges[axis] = read_grid(element, names[axis], false, infinity);
  } else {
    const bool cylindrical = type == "cylindrical";
    mesh.type = cylindrical ? MeshType::cylindrical : MeshType::spherical;
    mesh.edges[0] = read_grid(element, "r_grid", true, infinity);
    mesh.edges[1] =
        read_grid(element, cylindrical ? "phi_grid" : "theta_grid", true, cylindrical ? 2 * pi : pi);
    mesh.edges[2] = read_grid(element, cylindrical ? "z_grid" : "phi_grid", !cylindrical,
                              cylindrical ? infinity : 2 * pi);
    if (element.has("origin")) {
      const std::vector<double> origin = element.numbers("origin");
      element.require(origin.size() == 3, "\"origin\" has three numbers");
      mesh.origin = {origin[0], origin[1], origin[2]};
    }
  }
  std::int64_t count = 1;
  for (int axis = 0; axis < 3; ++axis) {
    mesh.shape[axis] = static_cast<int>(mesh.edges[axis].size()) - 1;
    count *= mesh.shape[axis];
    element.require(count <= 1'000'000'000, "more than 10^9 mesh cells");
  }
}

}  // namespace

Mesh read_mesh(Element element) {
  Mesh mesh;
  mesh.id = element.id();
  mesh.name = element.text("name", "");
  const std::string type = element.text("type", "regular");
  if (type == "rectilinear" || type == "cylindrical" || type == "spherical") {
    read_edges_of_mesh(element, type, mesh);
    element.finish();
    return mesh;
  }
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
    element.require(mesh.width[i] >= 1e-100, "the mesh has no width");
    element.require(lower[i] + mesh.width[i] > lower[i] && std::isfinite(lower[i] + shape[i] * mesh.width[i]),
                    "the mesh is too small or too large compared with \"lower_left\"");
  }
  element.finish();
  return mesh;
}

}  // namespace taihu::neutron
