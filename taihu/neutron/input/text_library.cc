// SPDX-License-Identifier: Apache-2.0
// Multi-group libraries as JSON text, for data that people type in:
//
//   {"group_edges_eV": [1e-5, 0.0635, ...],            rising; may be left out: 1, 10, 100 ...
//    "materials": {"UO2": {"total": [...], "absorption": [...], "fission": [...], "nu_fission": [...], "chi":
//    [...],
//                          "kappa_fission": [...], "scatter": [[from -> to, ...], ...]}}}
//
// Groups are listed from the fastest; scatter[from][to] is a number or the list of Legendre moments.
#include "taihu/neutron/input/text_library.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "taihu/base/error.h"

namespace taihu::neutron {
namespace {

using nlohmann::json;

std::vector<double> numbers(const json& entry, const char* key) {
  return entry.contains(key) ? entry.at(key).get<std::vector<double>>() : std::vector<double>{};
}

void read_scatter(const json& rows, MultigroupData& data) {
  const std::size_t groups = data.groups;
  for (const json& row : rows)
    for (const json& value : row)
      if (value.is_array()) data.moments = std::max(data.moments, static_cast<int>(value.size()));
  data.scatter.assign(groups * groups * data.moments, 0);
  check_input(rows.size() == groups,
              "cross sections \"" + data.name + "\": scatter has not one row per group");
  for (std::size_t from = 0; from < groups; ++from) {
    check_input(rows[from].size() == groups,
                "cross sections \"" + data.name + "\": scatter has not one column per group");
    for (std::size_t to = 0; to < groups; ++to) {
      const json& value = rows[from][to];
      const std::size_t place = (from * groups + to) * data.moments;
      if (!value.is_array())
        data.scatter[place] = value.get<double>();
      else
        for (std::size_t l = 0; l < value.size(); ++l) data.scatter[place + l] = value[l].get<double>();
    }
  }
}

MultigroupData read_entry(const std::string& name, const json& entry) {
  MultigroupData data;
  data.name = name;
  data.total = entry.at("total").get<std::vector<double>>();
  data.groups = static_cast<int>(data.total.size());
  data.absorption = entry.at("absorption").get<std::vector<double>>();
  data.fission = numbers(entry, "fission");
  data.kappa_fission = numbers(entry, "kappa_fission");
  data.nu_fission = numbers(entry, "nu_fission");
  double fission = 0;
  for (const double value : data.nu_fission) fission += value;
  if (fission > 0) data.chi = entry.at("chi").get<std::vector<double>>();
  read_scatter(entry.at("scatter"), data);
  check(data);
  return data;
}

}  // namespace

MultigroupLibrary read_text_library(const std::string& path, const std::vector<std::string>& names) {
  std::ifstream file(path);
  check_input(file.good(), path + ": cannot be opened");
  try {
    const json root = json::parse(file);
    MultigroupLibrary library;
    const json& materials = root.at("materials");
    std::vector<std::string> wanted = names;
    if (wanted.empty())
      for (const auto& [name, entry] : materials.items()) wanted.push_back(name);
    for (const std::string& name : wanted) {
      if (!materials.contains(name)) throw MissingEntry(path, name);
      library.data.push_back(read_entry(name, materials.at(name)));
    }
    library.group_edges = numbers(root, "group_edges_eV");
    if (library.group_edges.empty() && !library.data.empty()) {
      library.group_edges.push_back(1);
      for (int g = 0; g < library.data[0].groups; ++g)
        library.group_edges.push_back(10 * library.group_edges.back());
    }
    check_input(
        library.group_edges.size() >= 2 && library.group_edges.front() >= 0 &&
            std::is_sorted(library.group_edges.begin(), library.group_edges.end(), std::less_equal<>()),
        "group_edges_eV has to rise, from 0 eV on");
    for (const MultigroupData& data : library.data)
      check_input(library.group_edges.size() == static_cast<std::size_t>(data.groups) + 1,
                  std::to_string(library.group_edges.size() - 1) +
                      " groups have edges, but cross sections \"" + data.name + "\" have " +
                      std::to_string(data.groups));
    return library;
  } catch (const MissingEntry&) {
    throw;
  } catch (const json::exception& error) {
    throw Error(path + ": " + error.what());
  } catch (const Error& error) {
    throw Error(path + ": " + error.what());
  }
}

}  // namespace taihu::neutron
