// SPDX-License-Identifier: Apache-2.0
// The sums of histories.
#pragma once

#include "taihu/parallel/exact_sum.h"

namespace taihu::neutron {

/// Sums of a few numbers of ordinary size from each history: their rounding to 2^-72 is far below their
/// statistical error, and a mesh has millions of them.
using ExactSum = parallel::ExactSum<128>;

}  // namespace taihu::neutron
