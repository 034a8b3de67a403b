// SPDX-License-Identifier: Apache-2.0
// Which nests of two loops walk columns, so that they had better go along rows in strips (parcc
// --optimise-for-host), and why others must keep their order.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taihu/compiler/loop_facts.h"

namespace taihu::compiler {

/// All iterations of `loop` by `step` bytes, and `width` more, must stay within `pitch`: rows that are
/// written do not reach into each other.
struct RowLength {
  const llvm::Loop* loop = nullptr;
  const llvm::SCEV *step = nullptr, *pitch = nullptr;
  long width = 0;
};

struct StripPlan {
  llvm::Loop *root = nullptr, *inner = nullptr;
  /// Blocks of the root on the way to the inner loop, and from there to the latch.
  std::vector<llvm::BasicBlock*> before, after;
  std::vector<llvm::PHINode*> carried;  ///< of the inner loop: values that go from iteration to iteration
  std::vector<std::pair<llvm::Value*, bool>> guards;  ///< conditions that must be so when the root begins
  std::vector<const llvm::SCEV*> positive;            ///< what must be above 0 then
  std::vector<RowLength> rows;
  std::vector<const llvm::SCEV*> far_steps;  ///< of the inner loop, where the outer one goes along rows
  unsigned long strip = 0;                   ///< iterations of the outer loop
  unsigned bytes_along_rows = 0;             ///< not 0: other arrays go along their rows in the inner loop;
                                             ///< bytes that an iteration accesses of all of them then
  std::string names;                         ///< of what is walked by columns
  std::string refused;                       ///< not empty: the nest must keep its order

  /// Where control comes from on the way that a strip goes.
  const llvm::BasicBlock* before_of(const llvm::BasicBlock* block) const;
  /// What an instruction of the inner loop takes from the root around it. Null: nothing, or it is the first
  /// value of a variable of the inner loop.
  llvm::Instruction* value_from_outside(const llvm::Use& operand) const;
  /// The carried value whose last one `value` is, by number.
  std::optional<std::size_t> last_of(const llvm::Value* value) const;
};

/// For a loop in simplified form, closed over its values. None where no column is walked, or the nest has
/// another form.
std::optional<StripPlan> plan_strips(llvm::Loop& root, const FunctionFacts& facts);

}  // namespace taihu::compiler
