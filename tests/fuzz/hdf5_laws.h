// SPDX-License-Identifier: Apache-2.0
// Laws of angles and energies that the files of the unit tests do not have, written into a product of a
// nuclide or into thermal tables.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "taihu/neutron/file/hdf5_handle.h"

namespace taihu::fuzz {

/// Adds groups, data sets and attributes to a file that exists.
class Hdf5Writer {
 public:
  explicit Hdf5Writer(const char* path) : file_(H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT)) {}
  ~Hdf5Writer() { H5Fclose(file_); }
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void group(const std::string& name, const std::string& type) {
    {
      const neutron::Hdf5Handle made = neutron::group_handle(H5Gcreate2(file_, name.c_str(), 0, 0, 0));
    }
    if (!type.empty()) text(name, "type", type);
  }
  void numbers(const std::string& name, const std::vector<double>& values,
               const std::vector<hsize_t>& shape) {
    const neutron::Hdf5Handle space =
        neutron::space_handle(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr));
    const neutron::Hdf5Handle set =
        neutron::dataset_handle(H5Dcreate2(file_, name.c_str(), H5T_NATIVE_DOUBLE, *space, 0, 0, 0));
    H5Dwrite(*set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  void attribute(const std::string& object, const char* name, const std::vector<double>& values) {
    const hsize_t count[] = {values.size()};
    const neutron::Hdf5Handle space = neutron::space_handle(
        values.size() == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, count, nullptr));
    put(object, name, H5T_NATIVE_DOUBLE, *space, values.data());
  }
  void text(const std::string& object, const char* name, const std::string& value) {
    const neutron::Hdf5Handle type = neutron::type_handle(H5Tcopy(H5T_C_S1));
    H5Tset_size(*type, value.size());
    const neutron::Hdf5Handle space = neutron::space_handle(H5Screate(H5S_SCALAR));
    put(object, name, *type, *space, value.data());
  }

  /// Two incident energies; five rows of four points: energy, density, sum, and what the law has for each
  /// point.
  void table(const std::string& law, const std::string& name, const std::vector<double>& row3,
             const std::vector<double>& row4) {
    numbers(law + "/energy", {1e-5, 2e7}, {2});
    attribute(law + "/energy", "interpolation", {2, 2});
    std::vector<double> rows{0, 1e5, 0, 2e6, 1e-5, 1e-5, 5e-7, 5e-7, 0, 1, 0, 1};
    rows.insert(rows.end(), row3.begin(), row3.end());
    rows.insert(rows.end(), row4.begin(), row4.end());
    numbers(law + "/" + name, rows, {rows.size() / 4, 4});
    attribute(law + "/" + name, "offsets", {0, 2});
    attribute(law + "/" + name, "interpolation", {2, 1});
    attribute(law + "/" + name, "n_discrete_lines", {0, 0});
  }

  /// Four tables of two cosines.
  void cosines(const std::string& name) {
    numbers(name, {-1, 1, -1, 1, -1, 1, -1, 1, .5, .5, .5, .5, .5, .5, .5, .5, 0, 1, 0, 1, 0, 1, 0, 1},
            {3, 8});
  }

 private:
  void put(const std::string& object, const char* name, hid_t type, hid_t space, const void* data) {
    const neutron::Hdf5Handle owner = neutron::object_handle(H5Oopen(file_, object.c_str(), H5P_DEFAULT));
    H5Adelete(*owner, name);
    const neutron::Hdf5Handle made = neutron::attribute_handle(H5Acreate2(*owner, name, type, space, 0, 0));
    H5Awrite(*made, type, data);
  }

  hid_t file_;
};

/// Mixes five laws into `product`, which has one.
inline void add_laws(const char* path, const std::string& product) {
  Hdf5Writer file(path);
  const auto law = [&](int number) { return product + "/distribution_" + std::to_string(number); };
  const auto begin = [&](int number, const char* type) {
    if (number > 0) file.group(law(number), type);
    file.numbers(law(number) + "/applicability", {1e-5, 2e7, 0.2, 0.2}, {2, 2});
    file.text(law(number) + "/applicability", "type", "Tabulated1D");
    file.attribute(law(number) + "/applicability", "breakpoints", {2});
    file.attribute(law(number) + "/applicability", "interpolation", {5});
  };
  begin(0, "");
  begin(1, "correlated");
  file.table(law(1), "energy_out", {2, 2, 2, 2}, {0, 2, 4, 6});
  file.cosines(law(1) + "/mu");
  begin(2, "kalbach-mann");
  file.table(law(2), "distribution", {0.1, 0.2, 0.3, 0.4}, {0.1, 1, 2, 5});
  begin(3, "nbody");
  for (const auto& [name, value] :
       {std::pair{"n_particles", 3.0}, {"total_mass", 3.0}, {"atomic_weight_ratio", 10.0}, {"q_value", -1e6}})
    file.attribute(law(3), name, {value});
  begin(4, "uncorrelated");
  file.group(law(4) + "/angle", "");
  file.numbers(law(4) + "/angle/energy", {1e-5, 2e7}, {2});
  file.cosines(law(4) + "/angle/mu");
  file.attribute(law(4) + "/angle/mu", "offsets", {0, 4});
  file.attribute(law(4) + "/angle/mu", "interpolation", {2, 2});
  file.group(law(4) + "/energy", "continuous");
  file.table(law(4) + "/energy", "distribution", {}, {});
  file.attribute(product, "n_distribution", {5});
}

}  // namespace taihu::fuzz
