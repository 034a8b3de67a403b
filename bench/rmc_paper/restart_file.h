// SPDX-License-Identifier: Apache-2.0
// The restart file of a run on lists: HDF5 with the sums of the tallies and the source, as the paper's code
// has it (section 2.4): gathered by the root, which writes alone, or each rank's part written by itself.
#pragma once

#include <string>

#include "bench/rmc_paper/run.h"

namespace taihu::listed {

enum class RestartWay { parallel, through_root };

/// Written, brought to the disk. Both ways make data sets with the same contents. Collective. Throws
/// SharedError.
void write_restart(const Run& run, const std::string& path, RestartWay way);

/// A number that follows from all that the data sets of such a file hold, for comparison. Throws Error.
std::uint64_t contents_of_restart(const Run& run, const std::string& path);

}  // namespace taihu::listed
