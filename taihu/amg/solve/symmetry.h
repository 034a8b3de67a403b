// SPDX-License-Identifier: Apache-2.0
// Whether a matrix is symmetric, at the price of two products.
#pragma once

#include "taihu/amg/solve/system.h"

namespace taihu::amg {

/// Compares u'Av with v'Au for two vectors of pseudo-random numbers: they differ by more than 1e-7 of their
/// size where entries differ by more than about that from those across the diagonal, a single one among a
/// million rows too. `first_row`: of this rank. Collective.
bool is_symmetric(const System& system, GlobalIndex first_row);

}  // namespace taihu::amg
