// SPDX-License-Identifier: Apache-2.0
// Ranks that are threads of this process: several ranks without MPI, for tests and benchmarks.
#pragma once

#include <functional>

#include "taihu/parallel/communicator.h"

namespace taihu::parallel {

/// Runs `body` as `ranks` ranks, each on a thread of its own, and returns when all have ended. When a rank
/// throws, the others get an Error from the call in which they wait for it, or from their next one; then the
/// exception of the lowest rank that threw one of its own is thrown again. More ranks than processors are
/// fine: who waits, sleeps.
void run_ranks(int ranks, const std::function<void(Communicator&)>& body);

}  // namespace taihu::parallel
