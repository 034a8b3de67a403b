// SPDX-License-Identifier: Apache-2.0
// tallies.out: the tallies as text, in the manner of OpenMC.
#pragma once

#include <string>

#include "taihu/neutron/output/tally_source.h"

namespace taihu::neutron {

/// One rank, the root, calls. Instead of the values of a tally that has more than `most_values` the file says
/// where they are. Throws Error when the file cannot be written.
void write_tallies_out(const TallyLayout& layout, const Geometry& geometry, const TallySource& source,
                       const std::string& path, std::int64_t most_values, bool intervals = false);

}  // namespace taihu::neutron
