// SPDX-License-Identifier: Apache-2.0
// Objects that a kernel only reads, at places that only the run knows, in the scratchpad for the whole
// kernel.
#pragma once

#include "taihu/compiler/kept_variables.h"
#include "taihu/compiler/layout.h"

namespace taihu::compiler {

/// Sets may_be_broadcast of the objects of a kernel.
void find_broadcasts(KernelLayout& layout);

/// Moves what the layout has chosen to lie there as a whole and what nobody writes while the kernel runs;
/// notes it in `layout`. Copies of `kept` ones stay for the next kernel.
void place_for_kernel(KernelLayout& layout, KeptVariables& kept, llvm::FunctionAnalysisManager& analyses);

}  // namespace taihu::compiler
