// SPDX-License-Identifier: Apache-2.0
// What a run on the modelled machine prints: for each kernel, and for each source line on request.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "taihu/scratchpad_model/core.h"

namespace taihu::scratchpad_model {

/// All runs of one kernel.
struct KernelTotals {
  std::uint64_t runs = 0;
  int threads = 0;
  Ticks ticks = 0;   ///< of the slowest thread of each run, with starts
  Ticks least = 0;   ///< of the fastest
  CoreTotals cores;  ///< all threads together; its ticks are their sum
};

/// Adds one run, in which the threads did `cores` and ended together at `end`.
void add_run(KernelTotals& kernel, const std::vector<CoreTotals>& cores, Ticks end, const Costs& costs);

/// Several lines, the same bytes for the same kernels.
std::string kernel_report(const Machine& machine, int rank,
                          const std::map<std::string, KernelTotals>& kernels);

/// Accesses by source line, those with most accesses of main memory first. `lines` in any order; equal places
/// are joined.
std::string line_report(const std::vector<taihu_access_line>& lines);

}  // namespace taihu::scratchpad_model
