// SPDX-License-Identifier: Apache-2.0
// Triggers: a run goes on, beyond its usual number of batches, until results are precise enough.
#pragma once

#include <cstdint>
#include <vector>

#include "taihu/neutron/tally/estimate.h"
#include "taihu/neutron/tally/shares.h"

namespace taihu::neutron {

/// How far an estimate is from the precision that a trigger asks for: its uncertainty over the threshold,
/// with a variance their square root. Up to 1: precise enough. No estimate yet: infinite.
double excess(const Trigger& trigger, const Estimate& value) noexcept;

/// The largest excess of all tallies' triggers.
struct TriggerStatus {
  double excess = 0;
  int tally = -1;  ///< index of its tally; -1: of none
};

/// Of the bins that this rank owns. `statistics`: of those bins. A bin without scores has an infinite excess,
/// unless its trigger ignores zeros.
TriggerStatus check_triggers(const TallyLayout& layout, const BinShares& shares, int rank,
                             const TallyStatistics& statistics);

}  // namespace taihu::neutron
