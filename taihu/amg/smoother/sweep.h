// SPDX-License-Identifier: Apache-2.0
// Sweeps of the smoothers over one level. Each method has a file of its name: diagonal.cc (SPAI-0, Jacobi and
// l1-Jacobi, which differ in their scale), gauss_seidel.cc, chebyshev.cc. sweep.cc chooses.
#pragma once

#include "taihu/amg/options/options.h"
#include "taihu/amg/smoother/level.h"

namespace taihu::amg {

/// The order of the rows, where a smoother has one. Conjugate gradients need as many sweeps one way as the
/// other.
enum class SweepOrder { forward, backward };

/// Smooths level.b into level.x from a zero guess, `sweeps` times; the first one needs no pass over the
/// matrix. Collective. Does not allocate on one rank.
template <class Value>
void smooth_zero_guess(const Context& context, Level<Value>& level, Smoother smoother, int sweeps);

/// One sweep over level.x. Collective. Does not allocate on one rank.
template <class Value>
void smooth(const Context& context, Level<Value>& level, Smoother smoother, SweepOrder order);

}  // namespace taihu::amg
