// SPDX-License-Identifier: Apache-2.0
// Output calls as requests (paper 000, section 5.3.2): a call of printf, puts, fwrite and their like whose
// result is not used becomes one call of taihu_output_call (abi/output_request.h), neighbouring ones to the
// same stream become one together.
#pragma once

namespace llvm {
class Module;
}

namespace taihu::compiler {

/// Whether any call has been packed. Before code that may use streams itself the module then waits for
/// output that was put off.
bool pack_output_calls(llvm::Module& module);

}  // namespace taihu::compiler
