// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/input/read_model.h"

#include <cstdlib>
#include <filesystem>
#include <new>

#include "taihu/base/error.h"
#include "taihu/base/formatted.h"
#include "taihu/neutron/input/multigroup_library.h"
#include "taihu/neutron/input/nuclear_library.h"
#include "taihu/neutron/input/readers.h"
#include "taihu/neutron/input/text_library.h"

namespace taihu::neutron {
namespace {

namespace fs = std::filesystem;

Element open(const fs::path& path, const std::string& tag) {
  auto file = std::make_shared<const XmlFile>(path.string());
  Element root(file, file->root());
  root.require(root.tag() == tag, "<" + tag + "> is expected here");
  return root;
}

/// The four parts of a model, from one file or several.
struct Parts {
  std::optional<Element> materials, geometry, settings, tallies;
};

Parts parts_of(const fs::path& model_file, const fs::path& folder) {
  Parts parts;
  if (!model_file.empty()) {
    Element root = open(model_file, "model");
    parts.materials = root.child("materials");
    parts.geometry = root.child("geometry");
    parts.settings = root.child("settings");
    parts.tallies = root.child("tallies");
    root.ignore("plots");  // pictures are made by `rmc plot`
    root.finish();
    root.require(parts.materials && parts.geometry && parts.settings,
                 "<materials>, <geometry> and <settings> are all needed");
    return parts;
  }
  for (const char* name : {"materials.xml", "geometry.xml", "settings.xml"})
    check_input(fs::exists(folder / name), folder.string() + ": there is neither model.xml nor " + name);
  parts.materials = open(folder / "materials.xml", "materials");
  parts.geometry = open(folder / "geometry.xml", "geometry");
  parts.settings = open(folder / "settings.xml", "settings");
  if (fs::exists(folder / "tallies.xml")) parts.tallies = open(folder / "tallies.xml", "tallies");
  return parts;
}

/// The library that the materials name, or else the environment variable.
fs::path library_file(const Element& materials, const fs::path& folder, std::string library_path,
                      const char* variable) {
  if (library_path.empty()) {
    const char* value = std::getenv(variable);
    materials.require(
        value != nullptr,
        std::string("they name no library of cross sections; write <cross_sections> or set ") + variable);
    library_path = value;
  }
  const fs::path path(library_path);
  return path.is_relative() ? folder / path : path;
}

/// Throws an error that names the first material whose entry is missing.
MultigroupLibrary read_library(const Model& model, const fs::path& path,
                               const std::vector<std::string>& names, double temperature) {
  try {
    return path.extension() == ".json" ? read_text_library(path.string(), names)
                                       : read_multigroup_library(path.string(), names, temperature);
  } catch (const MissingEntry& missing) {
    for (const Material& material : model.materials)
      for (const std::string& name : material.macroscopics)
        if (name == missing.name()) throw Error(material.place + missing.what());
    throw;
  }
}

void read_cross_sections(Model& model, const fs::path& path, double temperature) {
  std::vector<std::string> names;
  std::vector<std::vector<MixturePart>> mixtures;
  for (const Material& material : model.materials) {
    mixtures.push_back(material.parts);
    for (std::size_t i = 0; i < material.parts.size(); ++i) {
      const std::size_t index = material.parts[i].data;
      if (index >= names.size()) names.resize(index + 1);
      names[index] = material.macroscopics[i];
    }
  }
  MultigroupLibrary library = read_library(model, path, names, temperature);
  for (MultigroupData& data : library.data) limit_order(data, model.settings.max_order);
  model.data =
      CrossSections(library.data, mixtures, std::move(library.group_edges), model.settings.scattering_points);
  if (model.data.has_negative_angles())
    model.warnings.push_back(
        "some Legendre expansions of scattering angles are negative for some angles and were set to zero "
        "there");
}

Model read_parts(const std::string& folder_or_file) {
  fs::path folder(folder_or_file), model_file;
  check_input(fs::exists(folder), folder_or_file + ": there is no such file or folder");
  if (!fs::is_directory(folder)) {
    model_file = folder;
    folder = folder.has_parent_path() ? folder.parent_path() : ".";
  } else if (fs::exists(folder / "model.xml")) {
    model_file = folder / "model.xml";
  }
  Parts parts = parts_of(model_file, folder);
  Model model;
  model.folder = folder.string();
  Ids ids;
  std::string library_path;
  const std::string mode = parts.settings->text("energy_mode", "continuous-energy");
  parts.settings->require(mode == "multi-group" || mode == "continuous-energy",
                          "energy_mode \"" + mode + "\" is not known");
  model.settings.continuous = mode == "continuous-energy";
  read_materials(*parts.materials, model, ids, library_path);
  read_geometry(*parts.geometry, model, ids);
  read_settings(*parts.settings, model, ids);
  NuclearLibrary library;
  if (model.settings.continuous) {
    library = read_cross_sections_xml(
        library_file(*parts.materials, folder, library_path, "OPENMC_CROSS_SECTIONS").string());
    for (const auto& [name, file] : library.nuclides) ids.nuclides.insert(name);
  } else {
    for (const Material& material : model.materials)
      ids.nuclides.insert(material.macroscopics.begin(), material.macroscopics.end());
  }
  if (parts.tallies) read_tallies(*parts.tallies, model, ids);
  if (model.settings.continuous)
    add_nuclear_data(model, library);
  else
    read_cross_sections(model,
                        library_file(*parts.materials, folder, library_path, "OPENMC_MG_CROSS_SECTIONS"),
                        model.settings.temperature_default);
  return model;
}

}  // namespace

Model read_model(const std::string& folder_or_file) {
  try {
    return read_parts(folder_or_file);
  } catch (const std::bad_alloc&) {
    throw Error(folder_or_file + ": there is not enough memory to read the model");
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(folder_or_file + ": cannot be read (" + error.code().message() + ")");
  } catch (const Error& error) {
    throw Error(one_line(error.what(), 1000));
  }
}

}  // namespace taihu::neutron
