// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "llvm/IR/PassManager.h"

namespace taihu::compiler {

/// Puts the intermediate code that clang has left in the module (-fembed-bitcode) where parcc-link finds it
/// (parcc --whole-program).
struct CodeSectionPass : llvm::PassInfoMixin<CodeSectionPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Leaves the names to which the code refers beside that. Runs last.
struct CodeNamesPass : llvm::PassInfoMixin<CodeNamesPass> {
  explicit CodeNamesPass(bool code_is_optimised) : optimised(code_is_optimised) {}
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
  bool optimised;
};

/// Puts regions, scratchpad variables and shared variables into their final form. Runs first, at every
/// optimisation level.
struct PlacementPass : llvm::PassInfoMixin<PlacementPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Makes code count what it would do on the modelled accelerator core (parcc --spm-model). Runs when the code
/// has been simplified, before vectors are made.
struct ScratchpadModelPass : llvm::PassInfoMixin<ScratchpadModelPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Lets loops that wait for other threads give their core away. Runs second, at every optimisation level.
struct YieldPass : llvm::PassInfoMixin<YieldPass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
  static bool isRequired() { return true; }
};

/// Finds where the objects of kernels should lie in a scratchpad, prints it (parcc --report=layout) and makes
/// loops put them there (--auto-dma). Runs when the code has been simplified, before vectors are made.
struct LayoutPass : llvm::PassInfoMixin<LayoutPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace taihu::compiler
