// SPDX-License-Identifier: Apache-2.0
// One module of the intermediate code of several files.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "llvm/IR/Module.h"
#include "taihu/compiler/code_file.h"

namespace taihu::compiler {

/// Sets `source` of files with code, and `problem` of those whose code is not that of their object, or not of
/// this version of parcc.
void check_code(std::vector<CodeFile>& files, const std::string& version);

/// The code of all files without a problem; sets `constructors` of those that have them elsewhere. What no
/// other file refers to by name is as if it were static, unless it is one of the names `kept`, or
/// `keeps_exports`. Throws Error when the code cannot be read or does not fit together.
std::unique_ptr<llvm::Module> join_modules(llvm::LLVMContext& context, std::vector<CodeFile>& files,
                                           const std::string& name, const std::set<std::string>& kept,
                                           bool keeps_exports);

}  // namespace taihu::compiler
