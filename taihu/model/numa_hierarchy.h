// SPDX-License-Identifier: Apache-2.0
// The time of one iteration of a multigrid solver on a machine with several memory nodes: the sweeps of
// numa_time.h over the arrays of every level, one level after the other.
//
//   iteration = sum over levels of  sweep(M of the level) + (runs - 1) * barrier * ceil(log2(threads))
//
// Rows are in equal parts. What is not placed is on the node of thread 0, as after a serial set-up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "taihu/model/numa_machine.h"
#include "taihu/model/numa_time.h"

namespace taihu::model {

/// What one iteration moves of the arrays of a level: bytes, and runs of the threads that end with a barrier.
struct LevelTraffic {
  double matrix = 0, prolongation = 0, restriction = 0, vectors = 0, runs = 1;
};

/// Levels, the finest first. Invariant: at least one that moves anything.
struct HierarchyTraffic {
  double iterations = 1;
  std::vector<LevelTraffic> levels;

  /// Of all bytes those of A and P, which is what Gu and Liu placed.
  double operator_share() const noexcept;
};

/// Which arrays are in the memory of their threads' nodes.
enum class Placed { nothing, matrix_and_prolongation, everything };

/// Reads what `amgsolve --json` prints. Throws Error when `text` is something else.
HierarchyTraffic parse_hierarchy(std::string_view text, const std::string& file);

/// The same for a problem with `factor` times as many rows. Above 0.
HierarchyTraffic scaled(HierarchyTraffic hierarchy, double factor);

/// All iterations; `stream_share` is f of numa_time.h, on every level. The resource is that of the finest
/// level. Throws Error as numa_time() and even_traffic().
NumaTime hierarchy_time(const NumaMachine& machine, const HierarchyTraffic& hierarchy, int threads,
                        Placed placed, double stream_share = 1);

}  // namespace taihu::model
