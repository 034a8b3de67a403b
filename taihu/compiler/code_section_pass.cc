// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "taihu/abi/intermediate_code.h"
#include "taihu/compiler/passes.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

cl::opt<bool> keep_code("taihu-whole-program", cl::Hidden,
                        cl::desc("keep the intermediate code for the link of the program"));

}  // namespace

// Clang leaves its options (-fembed-bitcode=marker). It could leave the code as well, but without the list of
// what is __attribute__((used)).
PreservedAnalyses CodeSectionPass::run(Module& module, ModuleAnalysisManager&) {
  GlobalVariable* const options = module.getGlobalVariable("llvm.cmdline", true);
  const auto* text = options != nullptr ? dyn_cast<ConstantDataArray>(options->getInitializer()) : nullptr;
  if (!keep_code || text == nullptr) return PreservedAnalyses::all();
  const std::string stored = text->getRawDataValues().str();
  GlobalVariable* const marker = module.getGlobalVariable("llvm.embedded.module", true);
  removeFromUsedLists(module, [&](Constant* used) {
    const Value* variable = used->stripPointerCasts();
    return variable == options || variable == marker;
  });
  options->eraseFromParent();
  if (marker != nullptr) marker->eraseFromParent();
  std::string code;
  raw_string_ostream stream(code);
  WriteBitcodeToFile(module, stream);
  // Linkers leave these sections out of programs.
  embedBufferInModule(module, MemoryBufferRef(code, "code"), TAIHU_CODE_SECTION);
  embedBufferInModule(module, MemoryBufferRef(stored, "options"), TAIHU_CODE_OPTIONS_SECTION);
  return PreservedAnalyses::none();
}

}  // namespace taihu::compiler
