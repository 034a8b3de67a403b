// SPDX-License-Identifier: Apache-2.0
// Statistics of bins that go to other ranks when domains move.
#pragma once

#include "taihu/neutron/tally/shares.h"
#include "taihu/parallel/communicator.h"

namespace taihu::neutron {

/// The statistics of the bins that this rank owns by `after`, of those that ranks own by `before`, of which
/// `own` are this rank's. Collective.
TallyStatistics move_statistics(parallel::Communicator& ranks, const TallyLayout& layout,
                                const BinShares& before, const BinShares& after, const TallyStatistics& own);

}  // namespace taihu::neutron
