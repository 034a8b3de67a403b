// SPDX-License-Identifier: Apache-2.0
// When the fission source had become stationary, judged by its Shannon entropy after a run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace taihu::neutron {

/// The first generation, counted from 1, whose entropy is within one standard deviation of the mean over the
/// last half of the generations; 0: there are fewer than 4. At least that many should be inactive. Source: F.
/// B. Brown, On the use of Shannon entropy of the fission distribution for assessing convergence of Monte
/// Carlo criticality calculations, PHYSOR 2006.
std::size_t first_stationary(const std::vector<double>& entropy);

/// The judgement in a line, which says so when too few generations were `inactive`. Empty: there are too few
/// generations to judge.
std::string stationarity_text(const std::vector<double>& entropy, std::size_t inactive);

}  // namespace taihu::neutron
