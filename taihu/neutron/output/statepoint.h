// SPDX-License-Identifier: Apache-2.0
// Statepoint files in OpenMC's format 18.1: results of the batches so far, and all that a run needs to go on.
//
// A statepoint is written under a temporary name, brought to the disk and renamed, so that a file with the
// final name is always whole, whenever the program is killed. A run that goes on from one gives the same bits
// as one that was never interrupted, with any number of ranks and threads.
#pragma once

#include <string>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// Name that OpenMC gives the statepoint of a batch: the number is padded to the width of the last batch's.
std::string statepoint_name(int batch, int batches);

/// Writes the state of `simulation` to `path`. Collective; only the root writes. Throws Error; the file that
/// had the name before is then untouched.
void write_statepoint(Simulation& simulation, const std::string& path);

/// Lets `simulation`, which has not run yet, go on from the file. Collective; only the root reads. Throws
/// Error when the file does not fit the model (seed, particles, run mode, tallies) or has no source.
void resume_from_statepoint(Simulation& simulation, const std::string& path);

/// Brings a finished file to the disk and gives it its final name.
void replace_file(const std::string& temporary, const std::string& path);

}  // namespace taihu::neutron
