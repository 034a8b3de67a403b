// SPDX-License-Identifier: Apache-2.0
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "taihu/abi/intermediate_code.h"
#include "taihu/compiler/passes.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

cl::opt<bool> keep_code("taihu-whole-program", cl::Hidden,
                        cl::desc("keep the intermediate code for the link of the program"));

/// Linkers leave sections that are excluded out of programs.
bool move(Module& module, const char* name, const char* section) {
  GlobalVariable* variable = module.getGlobalVariable(name, true);
  if (variable == nullptr) return false;
  variable->setSection(section);
  variable->setMetadata(LLVMContext::MD_exclude, MDNode::get(module.getContext(), {}));
  return true;
}

}  // namespace

PreservedAnalyses CodeSectionPass::run(Module& module, ModuleAnalysisManager&) {
  if (keep_code && move(module, "llvm.embedded.module", TAIHU_CODE_SECTION))
    move(module, "llvm.cmdline", TAIHU_CODE_OPTIONS_SECTION);
  return PreservedAnalyses::all();
}

}  // namespace taihu::compiler
