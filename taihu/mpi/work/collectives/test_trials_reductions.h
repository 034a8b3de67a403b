// SPDX-License-Identifier: Apache-2.0
// For tests: trials of the reductions, with predefined operations and functions of the program.
#pragma once

#include "taihu/mpi/work/collectives/test_trials.h"

namespace taihu::mpi::collectives {

Trial reduce_trial(TrialContext& context);
Trial allreduce_trial(TrialContext& context);
Trial reduce_scatter_trial(TrialContext& context, bool with_counts);
Trial scan_trial(TrialContext& context, bool exclusive);

}  // namespace taihu::mpi::collectives
