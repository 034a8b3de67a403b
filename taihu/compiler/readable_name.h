// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"

namespace taihu::compiler {

/// Name and place of a function for people. The body of a forall outside of kernels has no line of its own.
inline std::string readable_name(const llvm::Function& function) {
  const llvm::DISubprogram* program = function.getSubprogram();
  if (program == nullptr) return function.getName().str();
  unsigned line = program->getLine();
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (line == 0 && instruction.getDebugLoc()) line = instruction.getDebugLoc().getLine();
  const llvm::StringRef name = program->getLine() == 0 ? llvm::StringRef("forall") : program->getName();
  return (name + " (" + program->getFilename() + ":" + llvm::Twine(line) + ")").str();
}

}  // namespace taihu::compiler
