// SPDX-License-Identifier: Apache-2.0
// parcc --optimise-for-host: loops of kernels changed for processors with caches. Each changed loop stands
// beside the loop as it was, and the run chooses (abi/host_loops.h).
#pragma once

#include <string>
#include <vector>

#include "llvm/IR/PassManager.h"
#include "taihu/compiler/loop_facts.h"

namespace taihu::compiler {

/// Fetches ahead what loops look up at places that only the run knows (table[index[i]]). Runs when the code
/// has been simplified, before vectors are made.
struct HostLookUpPass : llvm::PassInfoMixin<HostLookUpPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

/// Goes along rows, some columns at once, where nests of loops walk columns. Runs before HostLookUpPass, so
/// that vectors can be made of what it made.
struct HostStripPass : llvm::PassInfoMixin<HostStripPass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

/// Lets long rows of stores pass the caches. Runs last: only whole vectors can.
struct HostStorePass : llvm::PassInfoMixin<HostStorePass> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

// For all of them.

/// Whether --optimise-for-host is given and the module is not as `done` marks it; marks it then.
bool wants_host_loops(llvm::Module& module, const char* done);

/// Kernels of the module, functions that kernels of other files may call, and the functions with a body that
/// these call, but not those that are checked by a sanitizer.
std::vector<llvm::Function*> functions_of_kernels(llvm::Module& module);

/// The loops of a function by their headers, outer ones first.
std::vector<llvm::BasicBlock*> loops_of(llvm::Function& function, llvm::FunctionAnalysisManager& analyses,
                                        bool only_innermost);

/// The loop that begins at `header`, in simplified form and closed over its values, when it is counted and
/// may be copied; null, with the reason, when not.
llvm::Loop* copyable_loop(llvm::BasicBlock& header, const FunctionFacts& facts, std::string& problem);

FunctionFacts facts_of(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

/// A line of the report, and a remark of Clang (-Rpass=taihu-host, -Rpass-missed=taihu-host).
void note_host_loop(const llvm::Loop& loop, const std::string& text, bool is_changed);
/// The same for a loop that is at `place` and begins with `header`, where its Loop is not valid any more.
void note_host_loop(const llvm::DebugLoc& place, const llvm::BasicBlock& header, const std::string& text,
                    bool is_changed);

/// How many iterations a loop must have before the run is asked.
unsigned long least_host_iterations();

/// Of branches to what is asked and to changed loops: the loop as it was is laid out, and has the registers,
/// as if the rest were not there.
llvm::MDNode* rarely(llvm::LLVMContext& context);

}  // namespace taihu::compiler
