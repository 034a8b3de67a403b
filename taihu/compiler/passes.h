// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/IR/PassManager.h"

namespace taihu::compiler {

/// Puts regions, scratchpad variables and shared variables into their final form. Runs first, at every
/// optimisation level.
struct PlacementPass : llvm::PassInfoMixin<PlacementPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

}  // namespace taihu::compiler
