// SPDX-License-Identifier: Apache-2.0
// The sweep of each method, for sweep.cc.
#pragma once

#include "taihu/amg/smoother/sweep.h"

namespace taihu::amg {

/// What level.x holds before a sweep.
enum class Guess { zero, present };

/// x = x + scale (b - A x). From a zero guess: x = scale b.
template <class Value>
void diagonal_sweep(const Context& context, Level<Value>& level, Guess guess);

/// Gauss-Seidel inside each block of rows, Jacobi between blocks.
template <class Value>
void gauss_seidel_sweep(const Context& context, Level<Value>& level, SweepOrder order);

/// Two steps of the Chebyshev iteration for the interval [upper / 4, upper] of the spectrum of scale A.
template <class Value>
void chebyshev_sweep(const Context& context, Level<Value>& level, Guess guess);

}  // namespace taihu::amg
