// SPDX-License-Identifier: Apache-2.0
// Exact sums under the name that programs of this folder use.
#pragma once

#include "taihu/base/exact_sum.h"

namespace taihu::parallel {

using taihu::ExactSum;

}  // namespace taihu::parallel
