// SPDX-License-Identifier: Apache-2.0
// What a loop looks up at places that only the run knows, and whose addresses can be computed ahead (parcc
// --optimise-for-host).
#pragma once

#include <string>
#include <vector>

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "taihu/compiler/loop_facts.h"

namespace taihu::compiler {

struct LookUp {
  llvm::Value* pointer = nullptr;
  bool is_written = false;
  std::string name;
};

struct LookUpPlan {
  llvm::Loop* loop = nullptr;
  std::vector<LookUp> look_ups;  ///< none: the loop is left as it is
};

/// For a loop that copyable_loop has found.
LookUpPlan plan_look_ups(llvm::Loop& loop, const FunctionFacts& facts);

/// An address or an index that the loop moves by a constant step. Null: it does not.
const llvm::SCEVAddRecExpr* moved_by_loop(llvm::Value* value, const llvm::Loop& loop,
                                          llvm::ScalarEvolution& evolution);

}  // namespace taihu::compiler
