// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/kernel_placement.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "taihu/compiler/loop_facts.h"
#include "taihu/compiler/names.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

/// Nothing in it waits for others, who could write what it reads.
bool is_on_its_own(const Function& function) {
  for (const Attribute::AttrKind kind : {Attribute::SanitizeAddress, Attribute::SanitizeThread,
                                         Attribute::SanitizeMemory, Attribute::SanitizeHWAddress})
    if (function.hasFnAttribute(kind)) return false;
  for (const Instruction& instruction : instructions(function)) {
    if (instruction.isAtomic() || instruction.isVolatile()) return false;
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr || isa<IntrinsicInst>(call)) continue;
    const Function* callee = call->getCalledFunction();
    if (callee == nullptr) return false;
    const StringRef name = callee->getName();
    const bool is_harmless = name == "m_rank" || name == "m_size" || name.starts_with("taihu_forall");
    if (!is_harmless && !call->doesNotAccessMemory() && callee->isDeclaration()) return false;
  }
  return true;
}

/// Only loads reach `value` from here.
bool is_only_loaded(const Value& value, const Function& function) {
  for (const User* user : value.users()) {
    const auto* instruction = dyn_cast<Instruction>(user);
    if (instruction == nullptr || instruction->getFunction() != &function) {
      if (isa<GlobalVariable>(value)) continue;  // its uses in other functions stay as they are
      return false;
    }
    if (isa<LoadInst>(instruction)) continue;
    if (!isa<GetElementPtrInst>(instruction) || !is_only_loaded(*instruction, function)) return false;
  }
  return true;
}

bool is_read_only(const LayoutObject& object) {
  return none_of(object.accesses, [](const KernelAccess& access) { return access.writes; });
}

/// Streams through buffers are better off where all accesses follow steps.
bool is_scattered(const LayoutObject& object) {
  return any_of(object.accesses,
                [](const KernelAccess& access) { return access.pattern == Pattern::discrete; });
}

/// Loops that load from `value`.
void find_loops(const Value& value, const Function& kernel, const LoopInfo& loops,
                SmallPtrSetImpl<const Loop*>& found) {
  for (const User* user : value.users()) {
    const auto* instruction = dyn_cast<Instruction>(user);
    if (instruction == nullptr || instruction->getFunction() != &kernel) continue;
    if (isa<LoadInst>(instruction))
      found.insert(loops.getLoopFor(instruction->getParent()));
    else
      find_loops(*instruction, kernel, loops, found);
  }
}

/// A single loop that is run once fetches it just as well, and its first tiles meanwhile.
bool is_needed_often(const Value& value, const Function& kernel, const LoopInfo& loops) {
  SmallPtrSet<const Loop*, 4> found;
  find_loops(value, kernel, loops, found);
  return found.size() > 1 ||
         any_of(found, [](const Loop* loop) { return loop != nullptr && loop->getLoopDepth() > 1; });
}

void place(GlobalVariable& variable, Function& kernel, uint64_t bytes) {
  IRBuilder<> builder(&*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  if (DISubprogram* program = kernel.getSubprogram())
    builder.SetCurrentDebugLocation(DILocation::get(kernel.getContext(), program->getLine(), 0, program));
  Module& module = *kernel.getParent();
  const FunctionCallee begin = module.getOrInsertFunction("taihu_place_begin", builder.getPtrTy(),
                                                          builder.getPtrTy(), builder.getInt64Ty());
  const FunctionCallee end = module.getOrInsertFunction("taihu_place_end", builder.getVoidTy(),
                                                        builder.getPtrTy(), builder.getPtrTy());
  SmallVector<Use*> uses;
  for (Use& use : variable.uses())
    if (const auto* user = dyn_cast<Instruction>(use.getUser());
        user != nullptr && user->getFunction() == &kernel)
      uses.push_back(&use);
  CallInst* near = builder.CreateCall(begin, {&variable, builder.getInt64(bytes)}, variable.getName());
  near->setMetadata(near_metadata, MDNode::get(kernel.getContext(), {}));
  for (Use* use : uses) use->set(near);
  for (BasicBlock& block : kernel)
    if (isa<ReturnInst>(block.getTerminator())) {
      builder.SetInsertPoint(block.getTerminator());
      builder.CreateCall(end, {&variable, near});
    }
}

}  // namespace

void place_for_kernel(KernelLayout& layout, FunctionAnalysisManager& analyses) {
  Function& kernel = *layout.functions.front();
  if (!layout.unseen.empty() ||
      !all_of(layout.functions, [](const Function* one) { return is_on_its_own(*one); }))
    return;
  const DataLayout& data = kernel.getParent()->getDataLayout();
  std::string text;
  for (LayoutObject& object : layout.objects) {
    auto* variable = dyn_cast<GlobalVariable>(const_cast<Value*>(object.value));
    const unsigned long bytes = variable != nullptr ? known_bytes(variable, data) : 0;
    if (bytes == 0 || object.chosen < 0 ||
        object.choices[static_cast<size_t>(object.chosen)].half_bytes != 0 || object.may_overlap ||
        !is_read_only(object) || !is_scattered(object) || variable->hasSection())
      continue;
    convertUsersOfConstantsToInstructions({variable}, &kernel);
    if (!is_only_loaded(*variable, kernel) ||
        !is_needed_often(*variable, kernel, analyses.getResult<LoopAnalysis>(kernel)))
      continue;
    place(*variable, kernel, bytes);
    object.is_staged = true;
    text += " " + object.name + ",";
  }
  if (text.empty()) return;
  analyses.invalidate(kernel, PreservedAnalyses::none());
  text.pop_back();
  LoopDecision decision;
  decision.text = "in the scratchpad from begin to end:" + text;
  if (const DISubprogram* program = kernel.getSubprogram()) {
    decision.file = program->getFilename().str();
    decision.line = program->getLine();
  }
  layout.loops.push_back(decision);
}

}  // namespace taihu::compiler
