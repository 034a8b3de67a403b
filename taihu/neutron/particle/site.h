// SPDX-License-Identifier: Apache-2.0
// Where a neutron begins.
#pragma once

#include <cstdint>

#include "taihu/neutron/particle/energy.h"
#include "taihu/neutron/particle/opaque_id.h"
#include "taihu/neutron/particle/vector.h"

namespace taihu::neutron {

/// One neutron to start. `parent` is the history of this rank that made it.
struct Site {
  Vector r, u;
  double weight = 1;
  GroupId group{0};  ///< multi-group only
  std::uint32_t parent = 0;
  Energy energy;    ///< continuous energy only
  double time = 0;  ///< s
};

}  // namespace taihu::neutron
