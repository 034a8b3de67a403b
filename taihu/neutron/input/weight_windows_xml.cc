// SPDX-License-Identifier: Apache-2.0
// Weight windows of settings, in the XML itself or in OpenMC's files of them (HDF5, version 1).
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "taihu/base/error.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/input/readers.h"

namespace taihu::neutron {
namespace {

/// What is wrong with windows; empty: nothing.
std::string fault_of(const WindowMesh& windows) {
  const std::vector<double>& energies = windows.energies;
  // Files in HDF5 may hold any.
  const auto is_finite = [](double number) { return std::isfinite(number); };
  if (!std::ranges::all_of(energies, is_finite) || !std::ranges::all_of(windows.lower, is_finite))
    return "an energy or a lower bound is not a number";
  if (energies.size() == 1 ||
      std::adjacent_find(energies.begin(), energies.end(), std::greater_equal<>()) != energies.end())
    return "\"energy_bounds\" has at least two numbers that rise";
  const std::size_t groups = energies.empty() ? 1 : energies.size() - 1;
  const std::size_t count = groups * static_cast<std::size_t>(windows.mesh.size());
  if (windows.lower.size() != count || windows.upper.size() != count)
    return "the bounds need " + std::to_string(count) + " numbers, one for each energy and mesh cell";
  for (std::size_t i = 0; i < count; ++i)
    if (windows.lower[i] >= 0 && !(windows.upper[i] > windows.lower[i] && std::isfinite(windows.upper[i])))
      return "an upper bound is not above its lower one";
  if (!(windows.survival_ratio > 1)) return "\"survival_ratio\" has to be above 1";
  if (!(windows.common.most_over_lower >= 1)) return "\"max_lower_bound_ratio\" must not be below 1";
  if (!(windows.common.most_splits > 1 && windows.common.most_splits <= 1e6))
    return "\"max_split\" has to be above 1 and at most 10^6";
  if (!(windows.common.cutoff > 0 && windows.common.cutoff < 1))
    return "\"weight_cutoff\" has to be between 0 and 1";
  return "";
}

/// Adds windows of neutrons; those of photons, which are not followed, have no effect.
void add_windows(const std::string& particle, WindowMesh windows, WeightWindows& all) {
  check_input(particle == "neutron" || particle == "photon",
              "windows of \"" + particle + "\" are not supported");
  const std::string fault = fault_of(windows);
  check_input(fault.empty(), fault);
  if (particle == "neutron") all.meshes.push_back(std::move(windows));
}

void read_windows(Element element, const std::map<int, Mesh>& meshes, WeightWindows& all) {
  WindowMesh windows;
  element.id();
  const auto mesh = meshes.find(element.integer("mesh"));
  element.require(mesh != meshes.end(), "there is no mesh " + element.text("mesh") + " in <settings>");
  windows.mesh = mesh->second;
  const std::string particle = element.text("particle_type", "neutron");
  if (element.has("energy_bounds")) windows.energies = element.numbers("energy_bounds");
  windows.lower = element.numbers("lower_ww_bounds");
  windows.upper = element.numbers("upper_ww_bounds");
  windows.survival_ratio = element.number("survival_ratio", windows.survival_ratio);
  windows.common.most_over_lower = element.number("max_lower_bound_ratio", windows.common.most_over_lower);
  windows.common.most_splits = element.number("max_split", windows.common.most_splits);
  windows.common.cutoff = element.number("weight_cutoff", windows.common.cutoff);
  element.finish();
  try {
    add_windows(particle, std::move(windows), all);
  } catch (const Error& error) {
    element.fail(error.what());
  }
}

Mesh mesh_of_file(const Hdf5File& file, const std::string& group) {
  const std::string type = file.exists(group + "/type") ? file.text(group + "/type") : "regular";
  check_input(type == "regular", "mesh type \"" + type + "\" in a file of weight windows is not supported");
  const std::vector<std::int64_t> shape = file.integers(group + "/dimension");
  const std::vector<double> lower = file.doubles(group + "/lower_left"),
                            width = file.doubles(group + "/width");
  check_input(
      !shape.empty() && shape.size() <= 3 && lower.size() == shape.size() && width.size() == shape.size(),
      group + " has no size");
  Mesh mesh;
  mesh.dimensions = static_cast<int>(shape.size());
  std::int64_t cells = 1;
  for (int axis = 0; axis < mesh.dimensions; ++axis) {
    check_input(shape[axis] > 0 && shape[axis] <= 1'000'000'000 && width[axis] > 0 &&
                    std::isfinite(width[axis]) && std::isfinite(lower[axis]),
                group + " has an impossible size");
    cells *= shape[axis];
    check_input(cells <= 1'000'000'000, group + " has more than 10^9 cells");
    mesh.shape[axis] = static_cast<int>(shape[axis]);
    mesh.lower[axis] = lower[axis], mesh.width[axis] = width[axis];
  }
  return mesh;
}

void read_windows_file(const std::string& path, WeightWindows& all) {
  const Hdf5File file(path, Hdf5File::Mode::read);
  file.require_format("file of weight windows", "weight_windows", 1);
  check_input(file.exists("/weight_windows"), "there are no weight windows");
  for (const std::string& name : file.names_in("/weight_windows")) {
    const std::string group = "/weight_windows/" + name;
    WindowMesh windows;
    windows.mesh = mesh_of_file(file, "/meshes/mesh " + std::to_string(file.integer(group + "/mesh")));
    windows.energies = file.doubles(group + "/energy_bounds");
    windows.lower = file.doubles(group + "/lower_ww_bounds");
    windows.upper = file.doubles(group + "/upper_ww_bounds");
    windows.survival_ratio = file.number(group + "/survival_ratio");
    windows.common.most_over_lower = file.number(group + "/max_lower_bound_ratio");
    windows.common.most_splits = file.number(group + "/max_split");
    windows.common.cutoff = file.number(group + "/weight_cutoff");
    add_windows(file.text(group + "/particle_type"), std::move(windows), all);
  }
}

}  // namespace

void read_weight_windows(Element& root, const std::map<int, Mesh>& meshes, Model& model) {
  WeightWindows& all = model.settings.weight_windows;
  const std::vector<Element> elements = root.children("weight_windows");
  for (const Element& element : elements) read_windows(element, meshes, all);
  if (root.has("weight_windows_file")) {
    const std::filesystem::path path(root.text("weight_windows_file"));
    const std::string file = (path.is_relative() ? model.folder / path : path).string();
    try {
      read_windows_file(file, all);
    } catch (const Error& error) {
      const std::string text = error.what();
      root.fail(text.starts_with(file) ? text : file + ": " + text);
    }
  }
  // As in OpenMC: windows of the settings are on by default, those of a file are not.
  const bool on = root.boolean("weight_windows_on", !elements.empty());
  all.wanted = on && !all.meshes.empty();
  if (on && all.meshes.empty())
    model.warnings.push_back(root.place() + "weight windows are on, but there are none of neutrons");
  if (!all.meshes.empty() && elements.empty() && !root.has("weight_windows_on"))
    model.warnings.push_back(root.place() +
                             "weight windows of a file are off (OpenMC's default); write "
                             "<weight_windows_on>true</weight_windows_on> to use them");
  if (std::optional<Element> checkpoints = root.child("weight_window_checkpoints")) {
    all.at_collisions = checkpoints->boolean("collision", all.at_collisions);
    all.at_surfaces = checkpoints->boolean("surface", all.at_surfaces);
    checkpoints->finish();
  }
  all.most_splits = root.long_integer("max_history_splits", all.most_splits);
  root.require(all.most_splits >= 0, "\"max_history_splits\" must not be negative");
  root.require(!all.wanted || model.settings.mode == RunMode::fixed_source,
               "weight windows are for run mode fixed source");
  root.ignore("max_secondaries");  // how many OpenMC makes room for
}

}  // namespace taihu::neutron
