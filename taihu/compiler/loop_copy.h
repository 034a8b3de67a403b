// SPDX-License-Identifier: Apache-2.0
// A loop beside its copy that works in the scratchpad: what loops of streams (stage_builder.cc) and nests of
// boxes (box_builder.cc) have in common. The stage is a structure of abi/staging.h or abi/box_staging.h on
// the stack, by which the loop and the runtime tell each other what to move.
#pragma once

#include <cstdint>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace taihu::compiler {

class LoopCopy {
 protected:
  using Value = llvm::Value;

  /// `name` is that of values which are computed before the loop.
  LoopCopy(llvm::Loop& root, llvm::ScalarEvolution& evolution, const char* name);

  Value* field(std::uint64_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), stage_, offset);
  }
  void set(std::uint64_t offset, Value* value) {
    builder_.CreateAlignedStore(value, field(offset), llvm::Align(8));
  }
  void set(std::uint64_t offset, std::uint64_t value) { set(offset, builder_.getInt64(value)); }

  /// A function of the runtime that takes the stage.
  llvm::FunctionCallee runtime(const char* name, llvm::Type* result);

  /// Puts the stage onto the stack.
  void make_stage(std::uint64_t bytes, const char* name);
  /// Calls `begin` of the runtime, which answers whether the copy runs.
  void call_begin(const char* begin);

  /// Copies the blocks of the loop. The caller makes `first_` and `end_` and then calls `choose`.
  void clone_blocks(const llvm::Twine& suffix) { clone_blocks(copies_, suffix); }
  void clone_blocks(llvm::ValueToValueMapTy& copies, const llvm::Twine& suffix);
  /// A copy that does what the loop does, in the same order, called `name`: from `first_` to `end_`, before
  /// `choose`.
  void copy_whole(const llvm::Twine& name);
  /// The preheader goes to the copy's first block, or to the loop as it was; `weights` are those of the
  /// branch.
  void choose(llvm::MDNode* weights = nullptr);
  /// The end of the copy: calls `end` of the runtime.
  void finish_stage(const char* end);
  /// From `end_`, at the builder's place, to where the loop is left. What leaves the loop leaves its copy as
  /// well: the loop is closed over its values.
  void leave_copy();

  /// The copy of a value of the loop; others stand for themselves.
  Value* copy_of_value(Value* value) {
    const auto copy = copies_.find(value);
    return copy != copies_.end() ? static_cast<Value*>(copy->second) : value;
  }
  /// `pointer`, which is reached from `object`, in the object's copy that begins at `near`.
  Value* reach(Value* pointer, const Value* object, Value* near);
  /// A load or store of the copy goes to `address` instead.
  static void redirect(llvm::Instruction& access, Value* address);
  void delete_dead_variables();

  llvm::Loop& root_;
  llvm::ScalarEvolution& evolution_;
  llvm::Function& function_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  llvm::SCEVExpander expander_;
  llvm::BasicBlock *preheader_, *header_, *latch_, *exit_;
  llvm::DebugLoc place_;
  Value* stage_ = nullptr;
  Value* began_ = nullptr;
  llvm::ValueToValueMapTy copies_;
  llvm::BasicBlock *plain_ = nullptr, *first_ = nullptr, *end_ = nullptr;
};

}  // namespace taihu::compiler
