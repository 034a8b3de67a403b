// SPDX-License-Identifier: Apache-2.0
// tallies.out: the tallies as text, in the manner of OpenMC.
#pragma once

#include <functional>
#include <string>

#include "taihu/neutron/tally/tally.h"

namespace taihu::neutron {

/// Statistics of a tally, by index; valid until the next call.
using TallySource = std::function<TallyView(std::size_t tally)>;

/// One rank, the root, calls. Throws Error when the file cannot be written.
void write_tallies_out(const TallyLayout& layout, const Geometry& geometry, const TallySource& statistics_of,
                       const std::string& path);

}  // namespace taihu::neutron
