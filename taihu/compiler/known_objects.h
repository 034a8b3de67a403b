// SPDX-License-Identifier: Apache-2.0
// Tells the runtime where variables lie that pointers may name (abi/staging.h), so that loops of other files,
// in which nobody knows what their pointers name, find the ends of these objects when they run.
#pragma once

#include "llvm/IR/Module.h"

namespace taihu::compiler {

/// Adds a table of them to the module, which is handed to the runtime when its file is loaded. Afterwards the
/// addresses of all variables in it are taken.
void tell_objects(llvm::Module& module);

}  // namespace taihu::compiler
