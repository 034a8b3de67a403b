// SPDX-License-Identifier: Apache-2.0
// One level of a hierarchy as smoothers and the cycle use it. Vectors have the own elements
// first, filled up to whole slices with zeros, then room for the ghosts of every matrix that reads them.
// Every pass is one run of the team over the level's partition.
#pragma once

#include "taihu/amg/matrix/sliced.h"
#include "taihu/amg/matrix/sliced_kernels.h"
#include "taihu/amg/parallel/context.h"

namespace taihu::amg {

/// A sliced matrix with the plan that brings the ghosts of its operand.
template <class Value>
struct Operator {
  Sliced<Value> matrix;
  Halo halo;
};

template <class Value>
struct Level {
  LocalIndex rows = 0;
  GlobalIndex global_rows = 0;
  GlobalIndex global_entries = 0;
  Partition partition;
  Operator<Value> a;  ///< empty on the finest level when the solver's own matrix serves
  Operator<Value>* operator_a = nullptr;
  Operator<Value> prolongation;   ///< from the next level; empty on the coarsest
  Operator<Value> restriction;    ///< to the next level
  Array<Value> scale;             ///< of the smoother
  double spectrum = 0;            ///< bound for Chebyshev
  Array<Value> x, b, work, step;  ///< solution, right-hand side, residual or next solution, step of Chebyshev

  /// Vectors of `length` elements, all zero.
  void make_vectors(const Context& context, LocalIndex length, bool with_step);
};

/// Fills the room for ghosts in a vector that `through` is about to read. Collective.
template <class Value>
void fill_ghosts(const Context& context, Operator<Value>& through, Array<Value>& vector) {
  through.halo.exchange(context.communicator, vector.data(), through.matrix.ghost_begin);
}

/// The slices of the rows begin .. end of a part.
inline LocalIndex first_slice(LocalIndex begin) {
  return begin / slice_rows;
}
inline LocalIndex last_slice(LocalIndex end) {
  return padded(end) / slice_rows;
}

template <class Value>
void Level<Value>::make_vectors(const Context& context, LocalIndex length, bool with_step) {
  const auto ends = part_ends(partition, 1, length - partition.rows());
  const auto make = [&](Array<Value>& vector) {
    vector = Array<Value>(context.storage, ends, Use::cycles);
    context.team.run(partition, [&](LocalIndex begin, LocalIndex end, int) {
      std::fill(vector.data() + begin, vector.data() + end, Value{0});
    });
    std::fill(vector.data() + partition.rows(), vector.end(), Value{0});
  };
  make(x);
  make(b);
  make(work);
  if (with_step) make(step);
}

}  // namespace taihu::amg
