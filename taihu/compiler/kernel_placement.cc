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

/// Empty when nothing in it waits for others, who could write what it reads.
std::string why_not_on_its_own(const Function& function) {
  for (const Attribute::AttrKind kind : {Attribute::SanitizeAddress, Attribute::SanitizeThread,
                                         Attribute::SanitizeMemory, Attribute::SanitizeHWAddress})
    if (function.hasFnAttribute(kind)) return "its function is checked by a sanitizer";
  for (const Instruction& instruction : instructions(function)) {
    if (instruction.isAtomic() || instruction.isVolatile())
      return "others may write it at the volatile or atomic access" + line_of(instruction);
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr || isa<IntrinsicInst>(call)) continue;
    const Function* callee = call->getCalledFunction();
    const std::string problem =
        "others may write it while the kernel calls " + name_of_callee(*call) + line_of(instruction);
    if (callee == nullptr) return problem;
    const StringRef name = callee->getName();
    const bool is_harmless =
        name == "m_rank" || name == "m_size" || name == "taihu_member" || name == "taihu_forall_failed";
    if (!is_harmless && !call->doesNotAccessMemory() && callee->isDeclaration()) return problem;
  }
  return "";
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

class Placer {
 public:
  Placer(Function& kernel, KeptVariables& kept)
      : kernel_(kernel), kept_(kept), builder_(&*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {
    if (DISubprogram* program = kernel.getSubprogram())
      builder_.SetCurrentDebugLocation(DILocation::get(kernel.getContext(), program->getLine(), 0, program));
  }

  void place(GlobalVariable& variable, uint64_t bytes, bool is_broadcast) {
    SmallVector<Use*> uses;
    for (Use& use : variable.uses())
      if (const auto* user = dyn_cast<Instruction>(use.getUser());
          user != nullptr && user->getFunction() == &kernel_)
        uses.push_back(&use);
    CallInst* near = begin(variable, bytes, is_broadcast);
    near->setMetadata(near_metadata, MDNode::get(kernel_.getContext(), {}));
    for (Use* use : uses) use->set(near);
    Module& module = *kernel_.getParent();
    Type* pointer = builder_.getPtrTy();
    const FunctionCallee end =
        module.getOrInsertFunction("taihu_place_end", builder_.getVoidTy(), pointer, pointer);
    for (BasicBlock& block : kernel_)
      if (isa<ReturnInst>(block.getTerminator())) {
        IRBuilder<> at_end(block.getTerminator());
        at_end.SetCurrentDebugLocation(builder_.getCurrentDebugLocation());
        at_end.CreateCall(end, {&variable, near});
      }
  }

 private:
  CallInst* begin(GlobalVariable& variable, uint64_t bytes, bool is_broadcast) {
    Module& module = *kernel_.getParent();
    Type* pointer = builder_.getPtrTy();
    Type* word = builder_.getInt64Ty();
    Constant* version = kept_.version_of(&variable);
    if (version == nullptr) version = ConstantPointerNull::get(builder_.getPtrTy());
    if (is_broadcast) {
      const FunctionCallee begin =
          module.getOrInsertFunction("taihu_place_for_all", pointer, pointer, word, pointer, pointer, word);
      return builder_.CreateCall(
          begin, {&variable, builder_.getInt64(bytes), version, &kernel_, builder_.getInt64(broadcasts_++)},
          variable.getName());
    }
    const FunctionCallee begin =
        module.getOrInsertFunction("taihu_place_begin", pointer, pointer, word, pointer);
    return builder_.CreateCall(begin, {&variable, builder_.getInt64(bytes), version}, variable.getName());
  }

  Function& kernel_;
  KeptVariables& kept_;
  IRBuilder<> builder_;  ///< stays where the kernel begins
  uint64_t broadcasts_ = 0;
};

/// Empty when all of the kernel's code is known and nothing in it waits for others.
std::string why_not_on_its_own(const KernelLayout& layout) {
  for (const Function* function : layout.functions)
    if (std::string problem = why_not_on_its_own(*function); !problem.empty()) return problem;
  return layout.unseen.empty() ? "" : "accesses of " + layout.unseen.front() + " are not seen";
}

bool is_whole(const LayoutObject& object) {
  return object.chosen >= 0 && object.choices[static_cast<size_t>(object.chosen)].half_bytes == 0;
}

/// Null when it is not a variable that only this kernel's loads reach.
GlobalVariable* placeable(const LayoutObject& object, const Function& kernel) {
  auto* variable = dyn_cast<GlobalVariable>(const_cast<Value*>(object.value));
  if (variable == nullptr || known_bytes(variable, kernel.getParent()->getDataLayout()) == 0 ||
      object.may_overlap || !is_read_only(object) || variable->hasSection())
    return nullptr;
  return variable;
}

/// For the report; loops may still move it.
std::string why_not_placed(const LayoutObject& object, const Function& kernel, const std::string& problem) {
  if (!problem.empty()) return problem;
  if (placeable(object, kernel) == nullptr) return "";
  return is_scattered(object) ? "" : "each of its accesses stays at one place, or follows steps";
}

/// Where the decision about the kernel as a whole is noted.
LoopDecision decision_about(const Function& kernel, std::string text) {
  LoopDecision decision;
  text.pop_back();
  decision.text = std::move(text);
  if (const DISubprogram* program = kernel.getSubprogram()) {
    decision.file = program->getFilename().str();
    decision.line = program->getLine();
  }
  return decision;
}

}  // namespace

void find_broadcasts(KernelLayout& layout) {
  const Function& kernel = *layout.functions.front();
  if (!why_not_on_its_own(layout).empty()) return;
  for (LayoutObject& object : layout.objects)
    object.may_be_broadcast = is_read_by_all(object) && placeable(object, kernel) != nullptr;
}

void place_for_kernel(KernelLayout& layout, KeptVariables& kept, FunctionAnalysisManager& analyses) {
  Function& kernel = *layout.functions.front();
  const std::string problem = why_not_on_its_own(layout);
  for (LayoutObject& object : layout.objects)
    if (is_whole(object)) object.not_placed = why_not_placed(object, kernel, problem);
  if (!problem.empty()) return;
  const LoopInfo& loops = analyses.getResult<LoopAnalysis>(kernel);
  Placer placer(kernel, kept);
  std::string own = "in the scratchpad from begin to end:",
              for_all = "in the scratchpad from begin to end, by broadcast:";
  const size_t lengths[] = {own.size(), for_all.size()};
  for (LayoutObject& object : layout.objects) {
    GlobalVariable* variable = placeable(object, kernel);
    if (variable == nullptr || object.chosen < 0) continue;
    const LayoutChoice& choice = object.choices[static_cast<size_t>(object.chosen)];
    if (choice.half_bytes != 0 || (!choice.is_broadcast && !is_scattered(object))) continue;
    convertUsersOfConstantsToInstructions({variable}, &kernel);
    if (!is_only_loaded(*variable, kernel) ||
        (!choice.is_broadcast && !is_needed_often(*variable, kernel, loops)))
      continue;
    placer.place(*variable, known_bytes(variable, kernel.getParent()->getDataLayout()), choice.is_broadcast);
    object.is_staged = true;
    object.may_stay = kept.version_of(variable) != nullptr;
    (choice.is_broadcast ? for_all : own) += " " + object.name + ",";
  }
  if (own.size() > lengths[0]) layout.loops.push_back(decision_about(kernel, own));
  if (for_all.size() > lengths[1]) layout.loops.push_back(decision_about(kernel, for_all));
  if (own.size() > lengths[0] || for_all.size() > lengths[1])
    analyses.invalidate(kernel, PreservedAnalyses::none());
}

}  // namespace taihu::compiler
