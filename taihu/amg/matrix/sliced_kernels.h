// SPDX-License-Identifier: Apache-2.0
// What the solve phase does with a sliced matrix: y from A x, for a range of slices. Compiled for several
// instruction sets (sliced_kernels_*.cc); the best one that the processor has is chosen at run time. Stored
// is the type of the values, Number that of vectors and sums. x has the ghosts behind its own elements.
#pragma once

#include "taihu/amg/matrix/sliced.h"

namespace taihu::amg {

template <class Stored, class Number>
struct SlicedKernels {
  using View = SlicedView<Stored>;
  /// y = A x
  void (*product)(const View&, LocalIndex begin, LocalIndex end, const Number* x, Number* y);
  /// y = y + A x
  void (*add_product)(const View&, LocalIndex begin, LocalIndex end, const Number* x, Number* y);
  /// y = b - A x
  void (*residual)(const View&, LocalIndex begin, LocalIndex end, const Number* x, const Number* b,
                   Number* y);
  /// y = x + scale * (b - A x), row by row: one step of a diagonal smoother; y is not x
  void (*smooth)(const View&, LocalIndex begin, LocalIndex end, const Number* x, const Number* b,
                 const Number* scale, Number* y);
  /// y from x by a sweep of Gauss-Seidel: y_i = x_i + scale_i (b_i - sum_j a_ij z_j), where z_j is y_j in the
  /// rows of the same block of `block` slices and x_j elsewhere; rows in descending order when backward.
  /// begin is a multiple of block; y is not x
  void (*gauss_seidel)(const View&, LocalIndex begin, LocalIndex end, LocalIndex block, const Number* x,
                       const Number* b, const Number* scale, Number* y, bool backward);
};

/// The kernels for this processor. Stored, Number: float, float; double, double; float, double.
template <class Stored, class Number>
const SlicedKernels<Stored, Number>& sliced_kernels();

/// All kernels for one instruction set.
struct KernelSet {
  const char* name;
  SlicedKernels<float, float> single_precision;
  SlicedKernels<double, double> double_precision;
  SlicedKernels<float, double> mixed_precision;
};

/// The sets that this processor can run, the best one first; the last one is the portable one.
std::vector<const KernelSet*> usable_kernel_sets();

}  // namespace taihu::amg
