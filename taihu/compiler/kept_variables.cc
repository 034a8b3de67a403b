// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/kept_variables.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/CommandLine.h"
#include "taihu/compiler/loop_facts.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

// What keeping costs where nothing is found again is measured without it.
cl::opt<bool> keep_copies("taihu-keep-copies", cl::Hidden, cl::init(true),
                          cl::desc("leave copies in the scratchpad for later kernels"));

/// No other thread can be told in the loop that something was written: it need not count before its end.
bool tells_nobody(const Loop& loop) {
  for (const BasicBlock* block : loop.blocks()) {
    for (const Instruction& instruction : *block) {
      if (instruction.isAtomic() || instruction.isVolatile()) return false;
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (call == nullptr || isa<MemIntrinsic>(call)) continue;
      const auto* intrinsic = dyn_cast<IntrinsicInst>(call);
      if (intrinsic != nullptr && intrinsic->isAssumeLikeIntrinsic()) continue;
      if (call->isInlineAsm() || !call->doesNotAccessMemory() || !call->doesNotThrow()) return false;
    }
  }
  return true;
}

Loop* loop_to_count_after(const Instruction& write, const LoopInfo& loops) {
  Loop* found = nullptr;
  for (Loop* loop = loops.getLoopFor(write.getParent()); loop != nullptr; loop = loop->getParentLoop()) {
    if (!tells_nobody(*loop)) break;
    found = loop;
  }
  return found;
}

/// Whether the instruction writes to the address in `use`.
bool writes_to(const Instruction& instruction, const Use& use) {
  if (isa<StoreInst>(instruction)) return use.getOperandNo() == StoreInst::getPointerOperandIndex();
  if (isa<AtomicRMWInst>(instruction)) return use.getOperandNo() == AtomicRMWInst::getPointerOperandIndex();
  if (isa<AtomicCmpXchgInst>(instruction))
    return use.getOperandNo() == AtomicCmpXchgInst::getPointerOperandIndex();
  const auto* copy = dyn_cast<MemIntrinsic>(&instruction);
  return copy != nullptr && &use == &copy->getRawDestUse();
}

/// Where to count `write`: after it, or where the loops around it are left.
SmallVector<BasicBlock::iterator> places_to_count(Instruction& write, const LoopInfo& loops) {
  if (const Loop* loop = loop_to_count_after(write, loops)) {
    SmallVector<BasicBlock*> exits;
    loop->getUniqueExitBlocks(exits);
    SmallVector<BasicBlock::iterator> places;
    for (BasicBlock* exit : exits) places.push_back(exit->getFirstInsertionPt());
    if (!places.empty()) return places;
  }
  return {std::next(write.getIterator())};
}

/// Counting reads and writes memory and tells other threads, whatever was found out about functions before.
void forget_effects(Module& module) {
  AttributeMask mask;
  mask.addAttribute(Attribute::Memory).addAttribute(Attribute::NoSync).addAttribute(Attribute::Speculatable);
  for (Function& function : module) {
    if (function.isIntrinsic()) continue;
    if (!function.isDeclaration()) function.removeFnAttrs(mask);
    for (Instruction& instruction : instructions(function)) {
      auto* call = dyn_cast<CallBase>(&instruction);
      const Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (call != nullptr && (callee == nullptr || !callee->isDeclaration())) call->removeFnAttrs(mask);
    }
  }
}

}  // namespace

KeptVariables::KeptVariables(Module& module, const std::vector<KernelLayout>& layouts) : module_(module) {
  for (const KernelLayout& layout : layouts)
    if (!layout.is_for_others) members_.insert(layout.functions.begin(), layout.functions.end());
  for (const KernelLayout& layout : layouts)
    for (const LayoutObject& object : layout.objects)
      if (const auto* variable = dyn_cast<GlobalVariable>(object.value);
          variable != nullptr && (!layout.is_for_others || variable->isConstant()) &&
          !variables_.contains(variable))
        look_at(*const_cast<GlobalVariable*>(variable));
}

bool KeptVariables::has_counted_writes(const Function& function) const {
  return any_of(variables_, [&](const auto& known) {
    const Variable& variable = known.second;
    return variable.reason.empty() && any_of(variable.writes, [&](const Instruction* write) {
             return write->getFunction() == &function;
           });
  });
}

void KeptVariables::look_at(GlobalVariable& variable) {
  Variable& known = variables_[&variable];
  if (known_bytes(&variable, module_.getDataLayout()) == 0 || variable.hasSection())
    known.reason = "it lies in another file, or is shared with other processes";
  else if (variable.isConstant())
    return;
  else if (!variable.hasLocalLinkage())
    known.reason = "other files may write it: declare it static, or const";
  if (!known.reason.empty()) return;
  SmallPtrSet<Value*, 16> seen;
  follow(variable, known, seen);
}

void KeptVariables::follow(Value& address, Variable& variable, SmallPtrSetImpl<Value*>& seen) {
  if (!seen.insert(&address).second) return;
  for (Use& use : address.uses()) {
    if (variable.reason.empty()) variable.reason = follow_use(use, variable, seen);
    if (!variable.reason.empty()) return;
  }
}

std::string KeptVariables::follow_use(Use& use, Variable& variable, SmallPtrSetImpl<Value*>& seen) {
  User* user = use.getUser();
  if (isa<GEPOperator>(user) || isa<BitCastOperator>(user) || isa<PHINode>(user) || isa<SelectInst>(user)) {
    follow(*user, variable, seen);
    return variable.reason;
  }
  auto* instruction = dyn_cast<Instruction>(user);
  if (instruction == nullptr) return "its address is part of another variable's value";
  if (isa<LoadInst>(instruction) || isa<ICmpInst>(instruction)) return "";
  auto* call = dyn_cast<CallBase>(instruction);
  const bool is_read_by_call =
      call != nullptr && call->isArgOperand(&use) && call->doesNotCapture(call->getArgOperandNo(&use)) &&
      (call->onlyReadsMemory() || call->onlyReadsMemory(call->getArgOperandNo(&use)));
  if (is_read_by_call) return "";
  if (!writes_to(*instruction, use))
    return "its address goes to " + (call != nullptr ? name_of_callee(*call) : std::string("memory")) +
           line_of(*instruction);
  if (members_.contains(instruction->getFunction())) return "a kernel writes it" + line_of(*instruction);
  variable.writes.push_back(instruction);
  return "";
}

Constant* KeptVariables::version_of(const Value* object) {
  const auto* variable = keep_copies ? dyn_cast<GlobalVariable>(object) : nullptr;
  const auto found = variable != nullptr ? variables_.find(variable) : variables_.end();
  if (found == variables_.end() || !found->second.reason.empty()) return nullptr;
  GlobalVariable*& version = found->second.version;
  if (version == nullptr) {
    Type* word = Type::getInt64Ty(module_.getContext());
    version = new GlobalVariable(module_, word, false, GlobalValue::InternalLinkage,
                                 ConstantInt::get(word, 0), "taihu_version." + variable->getName());
    version->setAlignment(Align(8));
  }
  return version;
}

std::string KeptVariables::why_not(const Value* object) const {
  const auto* variable = dyn_cast<GlobalVariable>(object);
  if (variable == nullptr) return "a pointer names it: use an array of the file";
  const auto found = variables_.find(variable);
  return found != variables_.end() ? found->second.reason : "no kernel of this file reads it";
}

void KeptVariables::count_writes(FunctionAnalysisManager& analyses) {
  bool is_any_counted = false;
  for (auto& [_, variable] : variables_) {
    if (variable.version == nullptr) continue;
    for (Instruction* write : variable.writes) {
      const LoopInfo& loops = analyses.getResult<LoopAnalysis>(*write->getFunction());
      for (const BasicBlock::iterator place : places_to_count(*write, loops)) {
        // Two writes may have one place: then it is the counting before it that stands there.
        const auto* known = dyn_cast<AtomicRMWInst>(&*place);
        if (known != nullptr && known->getPointerOperand() == variable.version) continue;
        is_any_counted = true;
        IRBuilder<> builder(place->getParent(), place);
        builder.SetCurrentDebugLocation(write->getDebugLoc());
        builder.CreateAtomicRMW(AtomicRMWInst::Add, variable.version, builder.getInt64(1), Align(8),
                                AtomicOrdering::Release);
      }
    }
  }
  if (is_any_counted) forget_effects(module_);
}

}  // namespace taihu::compiler
