// SPDX-License-Identifier: Apache-2.0
// Independent simulations on all cores.
#pragma once

#include <functional>

namespace taihu::noc {

/// Called when another of `all` pieces of work is done; from any thread, by one at a time.
using Progress = std::function<void(int done, int all)>;

/// Does work(0) ... work(count - 1) on all cores; returns when all are done. `progress` may be empty. When
/// one throws, no further piece of work is begun, and the first exception is thrown again.
void in_parallel(int count, const std::function<void(int)>& work, const Progress& progress);

}  // namespace taihu::noc
