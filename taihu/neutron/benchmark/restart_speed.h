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

/// Seconds, the best of all repeats, each from the time when all ranks begin until all are done. Writing
/// includes bringing the file to the disk. Before reading, the system is asked to drop the file from its
/// cache.
struct RestartSpeed {
  std::int64_t bytes = 0;  ///< of the statepoint
  int ranks = 1;
  double write_parallel = 0, write_through_root = 0, write_plain = 0, write_plain_root = 0;
  double read_parallel = 0, read_through_root = 0, read_plain = 0;
};

/// Collective. Does not change the state of the simulation. Throws Error.
RestartSpeed measure_restart(Simulation& simulation, const RestartSpeedOptions& options);

std::vector<std::string> lines_of(const RestartSpeed& speed);

}  // namespace taihu::neutron
