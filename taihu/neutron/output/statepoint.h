// SPDX-License-Identifier: Apache-2.0
// Statepoint files in OpenMC's format 18.1: results of the batches so far, and the state from which a run
// continues.
//
// The root makes the file under a temporary name and reserves room for the large arrays; then every rank
// writes its own tally bins and source neutrons into them (statepoint_parts.h), nothing is gathered. The file
// is brought to the disk and renamed, so that a file with the final name is always whole, whenever the
// program is killed. A run that goes on from one gives the same bits as one that was never interrupted, with
// any number of ranks, threads and domains.
#pragma once

#include <string>

#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// Name that OpenMC gives the statepoint of a batch: the number is padded to the width of the last batch's.
std::string statepoint_name(int batch, int batches);

/// How the large arrays get into the file and out of it. `through_root` sends them to the root, which does
/// all reading and writing; it exists for comparison.
enum class StatepointWay { parallel, through_root };

/// Writes the state of `simulation` to `path`. Collective. Throws SharedError; an earlier file of that name
/// is then unchanged, and no half-written file is left.
void write_statepoint(Simulation& simulation, const std::string& path,
                      StatepointWay way = StatepointWay::parallel);

/// Writes the source of the next generation into a source file of its own, in MCPL format where the settings
/// say so. Collective. Throws SharedError.
void write_source(Simulation& simulation, const std::string& path);

/// Lets `simulation`, which has not run yet, go on from the file. Collective. Throws SharedError when the
/// file does not fit the model (seed, particles, run mode, tallies) or has no source.
void resume_from_statepoint(Simulation& simulation, const std::string& path,
                            StatepointWay way = StatepointWay::parallel);

}  // namespace taihu::neutron
