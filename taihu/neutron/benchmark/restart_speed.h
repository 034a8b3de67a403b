// SPDX-License-Identifier: Apache-2.0
// How fast a run's statepoint is written and read: by all ranks at once, through the root, and for comparison
// the same number of bytes as a plain file.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

struct RestartSpeedOptions {
  std::string folder = ".";  ///< where the files are made, and removed again
  int repeats = 3;
};

/// Seconds of each repeat, from the time when all ranks begin until all are done. Writing includes bringing
/// the file to the disk. Before reading, the system is asked to drop the file from its cache.
struct RestartSpeed {
  using Seconds = std::vector<double>;
  std::int64_t bytes = 0;  ///< of the statepoint
  int ranks = 1;
  Seconds write_parallel, write_through_root, write_plain, write_plain_root;
  Seconds read_parallel, read_through_root, read_plain;
};

/// Collective. Does not change the state of the simulation. Throws Error.
RestartSpeed measure_restart(Simulation& simulation, const RestartSpeedOptions& options);

/// Medians, least and most.
std::vector<std::string> lines_of(const RestartSpeed& speed);

}  // namespace taihu::neutron
