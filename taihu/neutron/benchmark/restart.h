// SPDX-License-Identifier: Apache-2.0
// Statepoints written and read by all ranks at once, through the root, and the disk's own speed.
#pragma once

#include "taihu/neutron/benchmark/benchmark.h"

namespace taihu::neutron {

/// Runs a batch of C5G7 with 10^6 mesh cells (times the scale) and measures its statepoint. With a job it is
/// collective, and the root prints; else options.ranks threads are the ranks. Throws SharedError.
void bench_restart(const BenchmarkOptions& options, const std::function<void(const std::string&)>& print);

}  // namespace taihu::neutron
