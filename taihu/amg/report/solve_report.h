// SPDX-License-Identifier: Apache-2.0
// What amgsolve tells of a solution: as text, as JSON, and how near the memory's speed it came.
#pragma once

#include <string>

#include "taihu/amg/solver.h"

namespace taihu::amg {

/// Seconds of the parts of a run.
struct SolveTimes {
  double input = 0, setup = 0, solve = 0;
};

/// Size, convergence, choices and times. Any rank, of the rows that its matrix says.
std::string result_text(const Context& context, const Solver& solver, const SolveResult& result,
                        const SolveTimes& times);

/// Levels, times of the steps, memory, bytes moved and the share of the memory bandwidth, which it measures:
/// that takes 128 MiB and a few passes of the team. The context has a profile.
std::string performance_text(const Context& context, const Solver& solver, const SolveResult& result,
                             const SolveTimes& times);

/// All of it but the bandwidth as one JSON object in a line; `traffic` is what numa-model reads: the bytes of
/// an iteration on each level, those of the method itself on the finest.
std::string json_of(const Context& context, const Solver& solver, const SolveResult& result,
                    const SolveTimes& times);

}  // namespace taihu::amg
