// SPDX-License-Identifier: Apache-2.0
// The diagonal matrix of a smoother.
#pragma once

#include "taihu/amg/matrix/distributed_matrix.h"
#include "taihu/amg/options/options.h"

namespace taihu::amg {

struct SmootherScale {
  Array<double> scale;  ///< per own row
  double largest = 0;   ///< bound of the spectrum of scale A, for Chebyshev
};

/// Collective.
SmootherScale smoother_scale(const Context& context, const DistributedMatrix& matrix, Smoother smoother);

}  // namespace taihu::amg
