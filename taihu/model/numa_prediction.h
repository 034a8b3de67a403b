// SPDX-License-Identifier: Apache-2.0
// What numa-model tells: the times of one program with and without its memory placed, as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "taihu/model/numa_hierarchy.h"
#include "taihu/model/numa_machine.h"
#include "taihu/model/numa_time.h"
#include "taihu/model/numa_traffic.h"

namespace taihu::model {

/// Of one number of threads.
struct NumaPrediction {
  int threads = 0;
  double bytes = 0;  ///< of one sweep
  NumaTime without, with;
  /// By how much placing makes it faster: 1 is twice as fast.
  double gain() const noexcept { return without.seconds / with.seconds - 1; }
};

/// Throws Error as numa_time().
NumaPrediction predict(const NumaMachine& machine, const NumaTraffic& without, const NumaTraffic& with,
                       const NumaSolve& solve);

/// For `bytes` in equal parts, each number of threads: all of them on the node of thread 0, and where their
/// threads are, of which the share `unplaced` (0 to 1) stays with thread 0. Throws Error as numa_time() and
/// even_traffic().
std::vector<NumaPrediction> predict_even(const NumaMachine& machine, double bytes,
                                         const std::vector<int>& threads, double unplaced,
                                         const NumaSolve& solve);

/// A table, and one JSON object, without a line end.
std::string text_of(const NumaMachine& machine, const NumaSolve& solve,
                    const std::vector<NumaPrediction>& lines);
std::string json_of(const NumaMachine& machine, const NumaSolve& solve, double unplaced,
                    const std::vector<NumaPrediction>& lines);

/// Of a multigrid solver with one number of threads.
struct HierarchyPrediction {
  int threads = 0;
  NumaTime nothing, operators, everything;  ///< placed; the operators are A and P
  double gain(const NumaTime& placed) const noexcept { return nothing.seconds / placed.seconds - 1; }
};

/// Throws Error as hierarchy_time().
std::vector<HierarchyPrediction> predict(const NumaMachine& machine, const HierarchyTraffic& hierarchy,
                                         const std::vector<int>& threads, double stream_share);

std::string text_of(const NumaMachine& machine, const HierarchyTraffic& hierarchy, double stream_share,
                    const std::vector<HierarchyPrediction>& lines);
std::string json_of(const NumaMachine& machine, const HierarchyTraffic& hierarchy, double stream_share,
                    const std::vector<HierarchyPrediction>& lines);

}  // namespace taihu::model
