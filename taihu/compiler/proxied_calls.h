// SPDX-License-Identifier: Apache-2.0
// Calls that the language calls proxied: stdio, files and system calls in files that have kernels. Output
// calls become requests (output_packing.h); before each of the others the program tells the runtime its name
// (taihu_proxied_call), which then carries out what was put off, and counts those of accelerator threads.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace taihu::compiler {

/// The name without the checks of _FORTIFY_SOURCE, the standard's versions of scanf and the suffix of large
/// files.
llvm::StringRef plain_name(llvm::StringRef name);

/// Whether a function is one of a library: its body is not in this file, or only a copy to be inlined.
bool is_of_library(const llvm::Function& function);

/// Whether a function with this plain name is a proxied one.
bool is_proxied(llvm::StringRef name);

/// Whether the module has changed. `has_regions`: it has foralls that run as kernels.
bool place_proxied_calls(llvm::Module& module, bool has_regions);

}  // namespace taihu::compiler
