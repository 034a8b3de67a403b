// SPDX-License-Identifier: Apache-2.0
// A neutron as files of sources have it.
#pragma once

#include <cstdint>

#include "taihu/neutron/file/source_file.h"
#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// `surface`: the id of one that it has passed; 0: none.
inline BankRecord bank_record(const Model& model, const Site& site, std::int32_t surface = 0) {
  return {.r = {site.r.x, site.r.y, site.r.z},
          .u = {site.u.x, site.u.y, site.u.z},
          .energy = (model.nuclear ? site.energy : model.data.energy(site.group)).eV(),
          .time = site.time,
          .weight = site.weight,
          .delayed_group = 0,
          .surface = surface,
          .particle = 0};
}

}  // namespace taihu::neutron
