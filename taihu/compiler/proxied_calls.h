// SPDX-License-Identifier: Apache-2.0
// Calls that the language calls proxied: stdio, files and system calls in files that have kernels. Before
// each the program tells the runtime its name (taihu_proxied_call), which counts those of accelerator
// threads.
#pragma once

namespace llvm {
class Module;
}

namespace taihu::compiler {

/// Whether the module has changed. `has_regions`: it has foralls that run as kernels.
bool note_proxied_calls(llvm::Module& module, bool has_regions);

}  // namespace taihu::compiler
