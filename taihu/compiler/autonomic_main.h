// SPDX-License-Identifier: Apache-2.0
// parcc --model=autonomic on the intermediate code: main becomes what abi/autonomic.h says, and the whole
// program is looked at as kernels are.
#pragma once

#include "llvm/ADT/SetVector.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace taihu::compiler {

/// Whether the file is compiled for the autonomic model.
bool is_autonomic();

/// Makes main give the programmer's main to the runtime. False: the module defines none.
bool place_main(llvm::Module& module);

/// Adds the functions at which code of this module may begin to run: what other files may call, and what is
/// called through pointers. The functions that these call are theirs.
void add_parts_of_main(llvm::Module& module, llvm::SetVector<llvm::Function*>& kernels);

}  // namespace taihu::compiler
