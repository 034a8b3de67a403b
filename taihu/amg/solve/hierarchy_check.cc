// SPDX-License-Identifier: Apache-2.0
// A hierarchy looks at itself: what one level gives the next fits. In builds without contracts nothing here
// does anything.
#include <algorithm>

#include "taihu/amg/solve/hierarchy.h"
#include "taihu/base/contract.h"

namespace taihu::amg {
namespace {

/// Rows of the operator == rows it writes; its operand has room for own elements, filled up, and ghosts.
template <class Value>
void check_operator(const Operator<Value>& through, LocalIndex rows, LocalIndex operand_rows,
                    const Array<Value>& operand) {
  const Sliced<Value>& matrix = through.matrix;
  ensure(matrix.rows == rows, "rows of an operator == rows of the level that it writes");
  ensure(matrix.ghost_begin == padded(operand_rows), "ghosts of an operand begin behind its filled-up rows");
  ensure(matrix.ghosts == through.halo.ghosts(), "ghosts of an operator == ghosts of its plan");
  ensure(matrix.columns == matrix.ghost_begin + matrix.ghosts,
         "columns of an operator == filled-up rows + ghosts of its operand");
  ensure(operand.size() >= static_cast<std::size_t>(matrix.columns), "elements of an operand >= columns");
}

}  // namespace

/// Rows fall from level to level; matrix, prolongation and restriction of a level fit its vectors and those
/// of the next; behind the coarsest level there is at most one end.
template <class Value>
void Hierarchy<Value>::check_invariants() const {
  ensure(!levels_.empty(), "levels >= 1");
  for (std::size_t l = 0; l < levels_.size(); ++l) {
    const Level<Value>& level = levels_[l];
    ensure(level.partition.rows() == level.rows, "rows of the partition == rows of the level");
    ensure(level.operator_a != nullptr, "a level has a matrix");
    check_operator(*level.operator_a, level.rows, level.rows, level.x);
    ensure(level.work.size() == level.x.size() && level.b.size() == level.x.size(),
           "solution, right-hand side and residual are equally long");
    ensure(level.scale.size() == static_cast<std::size_t>(padded(level.rows)) &&
               std::all_of(level.scale.begin() + level.rows, level.scale.end(),
                           [](Value value) { return value == 0; }),
           "the smoother's scale is filled up with zeros");
    if (l + 1 == levels_.size()) break;
    const Level<Value>& next = levels_[l + 1];
    ensure(next.global_rows < level.global_rows, "rows fall from level to level");
    check_operator(level.prolongation, level.rows, next.rows, next.x);
    check_operator(level.restriction, next.rows, level.rows, level.work);
  }
  ensure(transfers_.size() == (options_.reuse == Reuse::interpolation ? levels_.size() - 1 : 0),
         "transfers kept == levels - 1 where they are reused, else 0");
  ensure(!dense_ || !replicated_, "the coarsest level has at most one end");
  ensure(!replicated_ || replicated_->levels_.front().global_rows == levels_.back().global_rows,
         "rows of the replicated hierarchy == rows of the coarsest level");
}

template void Hierarchy<float>::check_invariants() const;
template void Hierarchy<double>::check_invariants() const;

}  // namespace taihu::amg
