// SPDX-License-Identifier: Apache-2.0
// The frame of a statepoint file: everything but the large arrays, for which it has reserved places. It is
// written and read by the root alone.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/output/statepoint_parts.h"
#include "taihu/neutron/transport/simulation.h"

namespace taihu::neutron {

/// How far a run has come, and where the rest of it lies in the file.
struct StatepointFrame {
  int batch = 0;
  int realizations = 0;  ///< of the tallies
  Criticality criticality;
  std::vector<double> births, made;  ///< of the fission matrix; empty: it is no longer needed
  PartPlaces places;
};

/// Makes the file with everything but the large arrays; returns their places. Throws Error.
PartPlaces write_frame(Simulation& simulation, const std::string& path);

/// Throws Error when the file is not a statepoint or does not fit the model.
StatepointFrame read_frame(const Simulation& simulation, const std::string& path);

/// The properties of the model that the file stores; the reader compares them.
const char* energy_mode(const Model& model);
std::vector<std::string> score_texts(const Tally& tally);

}  // namespace taihu::neutron
