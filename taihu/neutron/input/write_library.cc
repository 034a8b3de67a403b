// SPDX-License-Identifier: Apache-2.0
// Writing libraries of format version 1.0 of OpenMC: all groups are stored, g_min 1 and g_max the number of
// groups.
#include "taihu/base/output_file.h"
#include "taihu/neutron/file/hdf5_file.h"
#include "taihu/neutron/input/multigroup_library.h"

namespace taihu::neutron {
namespace {

void write_scattering(Hdf5File& file, const std::string& place, const MultigroupData& data) {
  file.make_group(place);
  const std::vector<int> first(data.groups, 1), last(data.groups, data.groups);
  file.write_integers(place + "/g_min", first);
  file.write_integers(place + "/g_max", last);
  file.write(place + "/scatter_matrix", data.scatter);
  if (!data.multiplicity.empty()) file.write(place + "/multiplicity_matrix", data.multiplicity);
}

void write_entry(Hdf5File& file, const MultigroupData& data) {
  constexpr const char* formats[] = {"legendre", "histogram", "tabular"};
  const std::string place = "/" + data.name;
  file.make_group(place);
  file.write_attribute(place, "fissionable", static_cast<std::int64_t>(!data.chi.empty()));
  file.write_attribute(place, "representation", std::string("isotropic"));
  file.write_attribute(place, "scatter_format", std::string(formats[static_cast<int>(data.format)]));
  file.write_attribute(place, "scatter_shape", std::string("[G][G'][Order]"));
  file.write_attribute(
      place, "order",
      static_cast<std::int64_t>(data.moments - (data.format == AngleFormat::legendre ? 1 : 0)));
  file.make_group(place + "/kTs");
  file.write_number(place + "/kTs/294K", 294 * 8.617333262e-5);
  const std::string values = place + "/294K";
  file.make_group(values);
  file.write(values + "/total", data.total);
  file.write(values + "/absorption", data.absorption);
  if (!data.fission.empty()) file.write(values + "/fission", data.fission);
  if (!data.kappa_fission.empty()) file.write(values + "/kappa-fission", data.kappa_fission);
  if (!data.chi.empty()) {
    file.write(values + "/nu-fission", data.nu_fission);
    if (data.chi_by_group)
      file.write(values + "/chi", data.chi, {data.groups, data.groups});
    else
      file.write(values + "/chi", data.chi);
  }
  write_scattering(file, values + "/scatter_data", data);
}

void write_all(const std::string& path, const MultigroupLibrary& library) {
  Hdf5File file(path, Hdf5File::Mode::create);
  file.write_attribute("/", "filetype", std::string("mgxs"));
  file.write_attribute("/", "version", std::vector<int>{1, 0});
  file.write_attribute("/", "energy_groups", static_cast<std::int64_t>(library.group_edges.size() - 1));
  file.write_attribute("/", "delayed_groups", std::int64_t{0});
  file.write_attribute("/", "group structure", library.group_edges);
  for (const MultigroupData& data : library.data) write_entry(file, data);
  file.close();
}

}  // namespace

void write_multigroup_library(const std::string& path, const MultigroupLibrary& library) {
  write_and_replace(path, [&](const std::string& temporary) { write_all(temporary, library); });
}

}  // namespace taihu::neutron
