// SPDX-License-Identifier: Apache-2.0
// Section 4 of Lu et al. 2017 reproduced: figure 10 (latencies), figure 11 (simulated over model), tables 2
// and 3 and the ratios in the text, each as CSV with the paper's value, ours and the deviation, figures also
// as PNG; all with both parameter sets (costs.h). Beyond the paper: the cost of a fixed order, and better
// rows of level-1 routers.
#pragma once

#include <string>

#include "taihu/noc/parallel/in_parallel.h"

namespace taihu::noc {

/// Writes all files into `folder`, which must exist. Returns a summary: the paper's claims, each with our
/// value.
std::string reproduce(const std::string& folder, const Progress& progress);

/// Tables 2 and 3 for n x n as text: as printed, exact, difference.
std::string model_tables(int n, std::size_t bytes, const std::string& parameters);

}  // namespace taihu::noc
