// SPDX-License-Identifier: Apache-2.0
// What an instruction costs on the modelled core besides its accesses: how many operations of which kind.
#pragma once

#include "llvm/IR/Instruction.h"
#include "taihu/abi/scratchpad_record.h"

namespace taihu::compiler {

struct OperationCount {
  unsigned number[TAIHU_OPERATIONS] = {};
  bool calls = false;          ///< a function that may or may not count
  bool looks_at_time = false;  ///< a call of the runtime
};

OperationCount operations_of(const llvm::Instruction& instruction);

}  // namespace taihu::compiler
