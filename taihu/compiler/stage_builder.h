// SPDX-License-Identifier: Apache-2.0
// Makes a loop work on buffers in the scratchpad (parcc --auto-dma); the loop as it was stays for runs in
// which that cannot be.
#pragma once

#include "taihu/compiler/stage_plan.h"

namespace taihu::compiler {

/// Carries out a plan in which something is staged. Nothing that was known of the function holds afterwards.
/// Returns the first blocks of the innermost loops of the copy.
std::vector<llvm::BasicBlock*> build_stage(const StagePlan& plan, const FunctionFacts& facts);

}  // namespace taihu::compiler
