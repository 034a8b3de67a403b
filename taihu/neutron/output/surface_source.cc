// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/output/surface_source.h"

#include "taihu/neutron/file/source_file.h"

namespace taihu::neutron {

void write_surface_source(const std::string& path, const Model& model, const std::vector<Passage>& passages) {
  std::vector<BankRecord> records;
  for (const auto& [site, history, number, surface] : passages)
    records.push_back({.r = {site.r.x, site.r.y, site.r.z},
                       .u = {site.u.x, site.u.y, site.u.z},
                       .energy = (model.nuclear ? site.energy : model.data.energy(site.group)).eV(),
                       .time = site.time,
                       .weight = site.weight,
                       .delayed_group = 0,
                       .surface = surface,
                       .particle = 0});
  write_source_file(path, records);
}

}  // namespace taihu::neutron
