// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/loop_copy.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"

namespace taihu::compiler {

using namespace llvm;

LoopCopy::LoopCopy(Loop& root, ScalarEvolution& evolution, const char* name)
    : root_(root),
      evolution_(evolution),
      function_(*root.getHeader()->getParent()),
      context_(function_.getContext()),
      builder_(context_),
      expander_(evolution, function_.getParent()->getDataLayout(), name),
      preheader_(root.getLoopPreheader()),
      header_(root.getHeader()),
      latch_(root.getLoopLatch()),
      exit_(root.getExitBlock()),
      place_(preheader_->getTerminator()->getDebugLoc()) {
  if (!place_) place_ = root_.getStartLoc();
  if (DISubprogram* program = function_.getSubprogram(); program != nullptr && !place_)
    place_ = DILocation::get(context_, program->getLine(), 0, program);
}

FunctionCallee LoopCopy::runtime(const char* name, Type* result) {
  return function_.getParent()->getOrInsertFunction(name, result, builder_.getPtrTy());
}

void LoopCopy::make_stage(uint64_t bytes, const char* name) {
  BasicBlock& entry = function_.getEntryBlock();
  builder_.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  builder_.SetCurrentDebugLocation(DebugLoc());
  AllocaInst* stage = builder_.CreateAlloca(ArrayType::get(builder_.getInt8Ty(), bytes), nullptr, name);
  stage->setAlignment(Align(8));
  stage_ = stage;
}

void LoopCopy::call_begin(const char* begin) {
  Value* began = builder_.CreateCall(runtime(begin, builder_.getInt32Ty()), stage_);
  began_ = builder_.CreateICmpNE(began, builder_.getInt32(0));
}

void LoopCopy::clone_blocks(ValueToValueMapTy& copies, const Twine& suffix) {
  SmallVector<BasicBlock*> blocks;
  for (BasicBlock* block : root_.blocks()) {
    BasicBlock* copy = CloneBasicBlock(block, copies, suffix, &function_);
    copies[block] = copy;
    blocks.push_back(copy);
  }
  remapInstructionsInBlocks(blocks, copies);
}

void LoopCopy::copy_whole(const Twine& name) {
  clone_blocks("." + name);
  auto* header = cast<BasicBlock>(copies_[header_]);
  first_ = BasicBlock::Create(context_, name, &function_, header);
  end_ = BasicBlock::Create(context_, name + ".end", &function_, exit_);
  BranchInst::Create(header, first_)->setDebugLoc(place_);
  header->replacePhiUsesWith(preheader_, first_);
  cast<BasicBlock>(copies_[latch_])->getTerminator()->replaceSuccessorWith(exit_, end_);
}

void LoopCopy::choose(MDNode* weights) {
  plain_ = BasicBlock::Create(context_, "plain", &function_, header_);
  BranchInst::Create(header_, plain_)->setDebugLoc(place_);
  header_->replacePhiUsesWith(preheader_, plain_);
  preheader_->getTerminator()->eraseFromParent();
  builder_.SetInsertPoint(preheader_);
  builder_.CreateCondBr(began_, first_, plain_, weights);
}

void LoopCopy::finish_stage(const char* end) {
  builder_.SetInsertPoint(end_);
  builder_.SetCurrentDebugLocation(place_);
  builder_.CreateCall(runtime(end, builder_.getVoidTy()), stage_);
  leave_copy();
}

void LoopCopy::leave_copy() {
  builder_.CreateBr(exit_);
  for (PHINode& variable : exit_->phis())
    variable.addIncoming(copy_of_value(variable.getIncomingValueForBlock(latch_)), end_);
}

Value* LoopCopy::reach(Value* pointer, const Value* object, Value* near) {
  if (pointer == object) return near;
  auto* address = cast<GEPOperator>(pointer);
  Value* base = reach(address->getPointerOperand(), object, near);
  SmallVector<Value*> indices;
  for (const Use& index : address->indices()) indices.push_back(copy_of_value(index.get()));
  return builder_.CreateGEP(address->getSourceElementType(), base, indices);
}

void LoopCopy::redirect(Instruction& access, Value* address) {
  const bool is_load = isa<LoadInst>(access);
  Use& pointer = access.getOperandUse(is_load ? LoadInst::getPointerOperandIndex()
                                              : StoreInst::getPointerOperandIndex());
  Value* old = pointer.get();
  pointer.set(address);
  // What they say holds for the objects that the accesses had.
  for (const unsigned kind :
       {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias, LLVMContext::MD_invariant_load,
        LLVMContext::MD_invariant_group, LLVMContext::MD_access_group})
    access.setMetadata(kind, nullptr);
  RecursivelyDeleteTriviallyDeadInstructions(old);
}

void LoopCopy::delete_dead_variables() {
  for (BasicBlock* block : root_.blocks()) DeleteDeadPHIs(cast<BasicBlock>(copies_[block]));
}

}  // namespace taihu::compiler
