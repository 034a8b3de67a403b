// SPDX-License-Identifier: Apache-2.0
// Tracks: where single neutrons were and what they were like, flight by flight.
#pragma once

#include <cstdint>
#include <vector>

#include "taihu/neutron/particle/energy.h"
#include "taihu/neutron/particle/vector.h"

namespace taihu::neutron {

/// A history whose tracks are wanted. Numbers from 1, as users count.
struct TrackedHistory {
  int batch = 1, generation = 1;
  std::int64_t history = 1;
};

/// The begin of a flight, or the end of a neutron.
struct TrackPoint {
  std::uint64_t history = 0;  ///< from 0
  std::uint32_t number = 0;   ///< in the history
  std::int64_t neutron = 0;   ///< of the history, in the order in which they are followed; 0: the first one
  Vector r, u;
  Energy energy;
  double time = 0, weight = 0;  ///< s; at the end of an absorbed neutron the weight is 0
};

/// Of one generation, in the order of the histories and their points.
struct GenerationTracks {
  int batch = 1, generation = 1;
  std::vector<TrackPoint> points;
};

}  // namespace taihu::neutron
