// SPDX-License-Identifier: Apache-2.0
// For tests: trials of the collectives that move data.
#pragma once

#include "taihu/mpi/work/collectives/collectives.h"
#include "taihu/mpi/work/collectives/test_trials.h"

namespace taihu::mpi::collectives {

Trial barrier_trial(TrialContext& context);
Trial bcast_trial(TrialContext& context);
Trial gather_trial(TrialContext& context, bool with_counts);
Trial scatter_trial(TrialContext& context, bool with_counts);
Trial allgather_trial(TrialContext& context, bool with_counts);
Trial alltoall_trial(TrialContext& context, Form form);

}  // namespace taihu::mpi::collectives
