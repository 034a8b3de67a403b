// SPDX-License-Identifier: Apache-2.0
// Variables whose copies may stay in the scratchpad after the kernel that fetched them, for the next one that
// reads them (parcc --auto-dma): all writes are known, and none is made by a kernel. Each has a counter,
// which code adds to after it has written the variable, and which the runtime compares.
#pragma once

#include <string>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/PassManager.h"
#include "taihu/compiler/layout.h"

namespace taihu::compiler {

class KeptVariables {
 public:
  /// Looks at the module as it is now, before loops of the kernels are changed.
  KeptVariables(llvm::Module& module, const std::vector<KernelLayout>& layouts);

  /// The counter of the writes to `object`, to be handed to the runtime where it is fetched and only read;
  /// null when its copies must not stay.
  llvm::Constant* version_of(const llvm::Value* object);

  /// Empty when copies may stay.
  std::string why_not(const llvm::Value* object) const;

  /// Whether `function`, which is no kernel's, writes a variable whose copies may stay.
  bool has_counted_writes(const llvm::Function& function) const;

  /// Lets all writes to variables whose counter was asked for count.
  void count_writes(llvm::FunctionAnalysisManager& analyses);

 private:
  struct Variable {
    std::vector<llvm::Instruction*> writes;
    std::string reason;  ///< why copies must not stay
    llvm::GlobalVariable* version = nullptr;
  };
  void look_at(llvm::GlobalVariable& variable);
  /// Follows the address through `user`.
  void follow(llvm::Value& address, Variable& variable, llvm::SmallPtrSetImpl<llvm::Value*>& seen);
  std::string follow_use(llvm::Use& use, Variable& variable, llvm::SmallPtrSetImpl<llvm::Value*>& seen);

  llvm::Module& module_;
  llvm::SmallPtrSet<const llvm::Function*, 16> members_;  ///< functions that kernels run
  llvm::MapVector<const llvm::GlobalVariable*, Variable> variables_;
};

}  // namespace taihu::compiler
