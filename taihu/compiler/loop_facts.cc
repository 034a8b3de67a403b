// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/loop_facts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace taihu::compiler {

using namespace llvm;

bool is_near(const Value* object) {
  const auto* instruction = dyn_cast<Instruction>(object);
  return instruction != nullptr && instruction->hasMetadata(near_metadata);
}

bool is_on_stack(const Value* object) {
  const auto* argument = dyn_cast<Argument>(object);
  return isa<AllocaInst>(object) || (argument != nullptr && argument->hasByValAttr());
}

const DILocation* place_in_file(const DILocation* place, const Function& function) {
  const DISubprogram* program = function.getSubprogram();
  if (program == nullptr) return place;
  while (place != nullptr && place->getFilename() != program->getFilename()) place = place->getInlinedAt();
  return place;
}

std::string line_of(const DebugLoc& place, const Function& function) {
  const bool is_program = function.getParent()->getNamedMetadata(program_metadata) != nullptr;
  const DILocation* location = is_program ? place.get() : place_in_file(place.get(), function);
  if (location == nullptr || location->getLine() == 0) return "";
  const std::string line = std::to_string(location->getLine());
  return is_program ? " at " + location->getFilename().str() + ":" + line : " at line " + line;
}

std::string line_of(const Instruction& instruction) {
  return line_of(instruction.getDebugLoc(), *instruction.getFunction());
}

MemoryLocation anywhere_from(const Instruction& instruction) {
  AAMDNodes types;
  types.TBAA = instruction.getMetadata(LLVMContext::MD_tbaa);
  return MemoryLocation::getBeforeOrAfter(getLoadStorePointerOperand(&instruction), types);
}

std::string name_in_source(const GlobalValue& value) {
  const auto* object = dyn_cast<GlobalObject>(&value);
  const MDNode* kept = object != nullptr ? object->getMetadata(name_metadata) : nullptr;
  return (kept != nullptr ? cast<MDString>(kept->getOperand(0))->getString() : value.getName()).str();
}

std::string name_of_callee(const CallBase& call) {
  if (isa<AnyMemSetInst>(call)) return "memset";
  if (isa<AnyMemTransferInst>(call)) return "memcpy";
  const Function* callee = call.getCalledFunction();
  return callee != nullptr ? name_in_source(*callee) : "a function pointer";
}

std::string why_not_copied(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple() ? "" : "a volatile or atomic access" + line_of(instruction);
  if (const auto* store = dyn_cast<StoreInst>(&instruction))
    return store->isSimple() ? "" : "a volatile or atomic access" + line_of(instruction);
  if (isa<DbgInfoIntrinsic>(instruction)) return "";
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
    const Intrinsic::ID name = intrinsic->getIntrinsicID();
    if (name == Intrinsic::assume || name == Intrinsic::experimental_noalias_scope_decl ||
        intrinsic->isLifetimeStartOrEnd())
      return "";
  }
  if (const auto* call = dyn_cast<CallBase>(&instruction)) {
    if (call->doesNotAccessMemory() && call->doesNotThrow() && !call->isConvergent() &&
        !call->isInlineAsm() && instruction.willReturn())
      return "";
    return "it calls " + name_of_callee(*call) + line_of(instruction);
  }
  if (instruction.mayReadOrWriteMemory()) return "a volatile or atomic access" + line_of(instruction);
  return "";
}

namespace {

bool is_added_call(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee != nullptr && callee->getName().starts_with("taihu_");
}

}  // namespace

std::string why_loop_not_copied(const Loop& loop) {
  std::string first;
  for (BasicBlock* block : loop.blocks()) {
    if (block->isEHPad() || block->hasAddressTaken())
      return "it has handlers or labels whose address is taken";
    if (!isa<BranchInst>(block->getTerminator()) && !isa<SwitchInst>(block->getTerminator()))
      return "it has jumps to computed places";
    for (const Instruction& instruction : *block) {
      std::string problem = why_not_copied(instruction);
      if (instruction.getType()->isTokenTy()) problem = "it has tokens";
      // What stands in the source says more than a call that the compiler has put before it.
      if (first.empty()) first = problem;
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (!problem.empty() && (call == nullptr || !is_added_call(*call))) return problem;
    }
  }
  return first;
}

std::string why_not_counted(const Loop& loop) {
  const std::string text = "its number of iterations is not known when it begins";
  SmallVector<BasicBlock*> exits;
  loop.getExitingBlocks(exits);
  SmallVector<const Value*> next;
  for (const BasicBlock* block : exits)
    if (const auto* branch = dyn_cast<BranchInst>(block->getTerminator()); branch != nullptr)
      next.push_back(branch->getCondition());
  SmallPtrSet<const Value*, 16> seen;
  while (!next.empty()) {
    const auto* instruction = dyn_cast<Instruction>(next.pop_back_val());
    if (instruction == nullptr || !loop.contains(instruction) || !seen.insert(instruction).second) continue;
    if (isa<LoadInst>(instruction))
      return text + ", because its end is read from memory in each iteration" + line_of(*instruction);
    if (const auto* call = dyn_cast<CallBase>(instruction); call != nullptr && !isa<IntrinsicInst>(call))
      return text + ", because its end depends on " + name_of_callee(*call) + line_of(*instruction);
    next.append(instruction->op_begin(), instruction->op_end());
  }
  return text;
}

bool join_equal_values(Function& function, const DominatorTree& dominators) {
  bool changed = false;
  for (BasicBlock& block : function) {
    for (PHINode& variable : make_early_inc_range(block.phis())) {
      auto* first = dyn_cast<BinaryOperator>(variable.getIncomingValue(0));
      if (first == nullptr || variable.getNumIncomingValues() < 2 || first->mayHaveSideEffects()) continue;
      const bool is_equal = all_of(variable.incoming_values(), [&](const Use& use) {
        const auto* other = dyn_cast<Instruction>(use.get());
        return other != nullptr && other->isIdenticalToWhenDefined(first);
      });
      const bool is_known = all_of(first->operands(), [&](const Use& operand) {
        const auto* value = dyn_cast<Instruction>(operand.get());
        return value == nullptr || (value->getParent() != &block && dominators.dominates(value, &block));
      });
      if (!is_equal || !is_known || !isSafeToSpeculativelyExecute(first)) continue;
      Instruction* joined = first->clone();
      joined->dropPoisonGeneratingFlags();
      joined->insertBefore(&*block.getFirstInsertionPt());
      joined->setDebugLoc(variable.getDebugLoc());
      joined->takeName(&variable);
      variable.replaceAllUsesWith(joined);
      variable.eraseFromParent();
      changed = true;
    }
  }
  return changed;
}

Writable is_writable(const Value* object) {
  const auto* variable = dyn_cast<GlobalVariable>(object);
  if (variable == nullptr) return Writable::unknown;
  return variable->isConstant() ? Writable::no : Writable::yes;
}

unsigned long known_bytes(const Value* object, const DataLayout& layout) {
  const auto* variable = dyn_cast<GlobalVariable>(object);
  if (variable == nullptr || variable->isDeclaration() || variable->isInterposable() ||
      variable->isThreadLocal())
    return 0;
  return layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
}

bool is_reached(const Value* pointer, const Value* object) {
  while (pointer != object) {
    const auto* address = dyn_cast<GEPOperator>(pointer);
    if (address == nullptr || address->getType()->isVectorTy()) return false;
    pointer = address->getPointerOperand();
  }
  return true;
}

}  // namespace taihu::compiler
