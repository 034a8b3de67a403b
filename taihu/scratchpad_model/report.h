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

/// What all threads did in each source line, those that took longest first. `lines` in any order; equal
/// places are joined. `costs` of the kernels.
std::string line_report(const std::vector<taihu_source_line>& lines, const Costs& costs);

}  // namespace taihu::scratchpad_model
