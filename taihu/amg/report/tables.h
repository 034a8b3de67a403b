// SPDX-License-Identifier: Apache-2.0
// The tables that amgsolve prints, as text.
#pragma once

#include <string>
#include <vector>

#include "taihu/amg/solve/krylov.h"

namespace taihu::amg {

/// Rows, entries and entries per row of each level, grid and operator complexity (sums over the finest
/// level's).
std::string level_table(const std::vector<LevelReport>& levels);

/// Why there is no solution, in one line, of a result that did not converge.
std::string why_not_converged(const SolveResult& result, const SolveOptions& options);

/// Iterations with the relative residual and its reduction.
std::string convergence_table(const std::vector<double>& history);

/// Seconds and calls of each step.
std::string profile_table(const Profile& profile);

/// Bytes per second that the team's threads read and write together in y = a x + y on arrays of `bytes` bytes
/// in all; the best of a few passes.
double measure_bandwidth(const Context& context, std::size_t bytes);

}  // namespace taihu::amg
