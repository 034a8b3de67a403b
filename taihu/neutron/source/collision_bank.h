// SPDX-License-Identifier: Apache-2.0
// Collisions that are kept for a file (a collision track).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "taihu/neutron/particle/energy.h"
#include "taihu/neutron/particle/vector.h"

namespace taihu::neutron {

/// What is kept; an empty set: all.
struct CollisionTracking {
  bool wanted = false;
  std::set<int> cells, universes, materials;  ///< indices; the lowest cell and universe
  std::set<int> reactions;                    ///< MT numbers
  std::set<std::string> nuclides;
  double least_loss = 0;  ///< eV, of the neutron's energy; 0: any
  std::int64_t most = 1000;
  int files = 1;
};

struct CollisionRecord {
  std::uint64_t history = 0;
  std::uint32_t number = 0;                           ///< in the history
  Vector r, u;                                        ///< direction after the collision
  Energy energy;                                      ///< before the collision
  double loss = 0;                                    ///< of energy [eV]; negative: it gained some
  double time = 0, weight = 0;                        ///< s; after the collision, 0: absorbed
  std::int32_t mt = 0;                                ///< 101: absorbed without fission
  std::int32_t cell = 0, universe = 0, material = 0;  ///< indices
  std::int32_t nuclide = 0;                           ///< index
  std::int32_t collision = 0;                         ///< of this neutron, from 1
};

}  // namespace taihu::neutron
