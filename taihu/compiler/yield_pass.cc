// SPDX-License-Identifier: Apache-2.0
// Loops that wait: `while (*reply < n);`. Accelerator threads take turns on the cores, so such a loop must
// give its core away, or the others, for whose stores it waits, continue only after the runtime has noticed
// it.
//
// A loop waits when it has no effect, calls nothing (but a pause), takes no step (a variable of the function
// whose new value depends on an old one), and reads memory that others may write. It gets a call of
// taihu_yield_while_waiting in front of each way back to its header, with a counter that is 0 at each way in:
// so the runtime can tell a thread that still waits from one that waits again. Runs before all optimisation:
// a loop without volatile or atomic reads would be optimised away.
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "taihu/compiler/passes.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

/// The instruction, written as assembler or as a built-in function, by which a loop tells the processor that
/// it waits; or a barrier for the compiler.
bool is_pause(const Value* value) {
  const auto* call = dyn_cast<CallInst>(value);
  if (call == nullptr) return false;
  if (const auto* text = dyn_cast<InlineAsm>(call->getCalledOperand())) {
    return call->arg_empty() && call->getType()->isVoidTy() &&
           is_contained({"", "pause", "rep; nop", "rep;nop", "yield", "nop", "isb"},
                        StringRef(text->getAsmString()).trim());
  }
  const Function* const function = call->getCalledFunction();
  return function != nullptr &&
         is_contained({"llvm.x86.sse2.pause", "llvm.aarch64.hint", "llvm.aarch64.isb"}, function->getName());
}

bool is_marker(const Value* value) {
  if (isa<DbgInfoIntrinsic>(value) || is_pause(value)) return true;
  const auto* call = dyn_cast<IntrinsicInst>(value);
  return call != nullptr && (call->getIntrinsicID() == Intrinsic::lifetime_start ||
                             call->getIntrinsicID() == Intrinsic::lifetime_end);
}

/// The variable of the function at `place` whose address nobody else has, or null.
const AllocaInst* local_at(const Value* place) {
  const auto* variable = dyn_cast<AllocaInst>(place);
  if (variable == nullptr) return nullptr;
  for (const User* user : variable->users()) {
    const auto* store = dyn_cast<StoreInst>(user);
    if (store != nullptr && store->getValueOperand() != variable) continue;
    if (!isa<LoadInst>(user) && !is_marker(user)) return nullptr;
  }
  return variable;
}

class WaitingLoop {
 public:
  explicit WaitingLoop(const Loop& loop) : loop_(loop) {}

  bool holds() {
    if (isa<PHINode>(loop_.getHeader()->front())) return false;  // optimised before: it may count
    for (const BasicBlock* block : loop_.blocks()) {
      for (const Instruction& instruction : *block) {
        const auto* store = dyn_cast<StoreInst>(&instruction);
        if (store == nullptr) continue;
        const AllocaInst* variable = local_at(store->getPointerOperand());
        if (variable == nullptr || store->isVolatile()) return false;
        stored_.insert(variable);
      }
    }
    bool looks = false;
    for (const BasicBlock* block : loop_.blocks()) {
      for (const Instruction& instruction : *block) {
        if (const auto* store = dyn_cast<StoreInst>(&instruction)) {
          collect(store->getValueOperand(), inputs_[local_at(store->getPointerOperand())]);
        } else if (const auto* load = dyn_cast<LoadInst>(&instruction)) {
          looks = looks || local_at(load->getPointerOperand()) == nullptr;
        } else if (!is_marker(&instruction) && !isa<FenceInst>(instruction)) {
          if (isa<CallBase>(instruction) || instruction.mayWriteToMemory()) return false;
        }
      }
    }
    return looks && none_of(stored_, [&](const AllocaInst* variable) { return takes_steps(variable); });
  }

 private:
  using Variables = SmallPtrSet<const AllocaInst*, 4>;

  /// Adds the variables that the loop stores to and `value` is computed from.
  void collect(const Value* value, Variables& found) {
    const auto* instruction = dyn_cast<Instruction>(value);
    if (instruction == nullptr || !loop_.contains(instruction)) return;
    if (isa<PHINode>(instruction)) {  // of && and ||, or of ?:, which may count
      if (!instruction->getType()->isIntegerTy(1)) found.insert(stored_.begin(), stored_.end());
      return;
    }
    if (const auto* load = dyn_cast<LoadInst>(instruction)) {
      if (const AllocaInst* variable = local_at(load->getPointerOperand())) {
        if (stored_.contains(variable)) found.insert(variable);
        return;
      }
    }
    for (const Use& operand : instruction->operands()) collect(operand, found);
  }

  /// Whether the new value of `variable` comes from its old one, also by way of others.
  bool takes_steps(const AllocaInst* variable) {
    SmallVector<const AllocaInst*> open{variable};
    Variables seen;
    while (!open.empty()) {
      for (const AllocaInst* input : inputs_[open.pop_back_val()]) {
        if (input == variable) return true;
        if (seen.insert(input).second) open.push_back(input);
      }
    }
    return false;
  }

  const Loop& loop_;
  Variables stored_;
  DenseMap<const AllocaInst*, Variables> inputs_;  ///< of each that the loop stores to
};

/// Sets a new variable to 0 at each way into the loop.
AllocaInst* add_counter(const Loop& loop) {
  BasicBlock* const header = loop.getHeader();
  BasicBlock& entry = header->getParent()->getEntryBlock();
  Type* const type = Type::getInt64Ty(header->getContext());
  auto* const counter = IRBuilder<>(&entry, entry.begin()).CreateAlloca(type, nullptr, "turns");
  const SmallPtrSet<BasicBlock*, 4> ways(pred_begin(header), pred_end(header));
  for (BasicBlock* way : ways) {
    if (!loop.contains(way))
      IRBuilder<>(way->getTerminator()).CreateStore(ConstantInt::get(type, 0), counter);
  }
  return counter;
}

void add_yield(const Loop& loop) {
  SmallVector<BasicBlock*> latches;
  loop.getLoopLatches(latches);
  Module& module = *loop.getHeader()->getModule();
  LLVMContext& context = module.getContext();
  const FunctionCallee yield = module.getOrInsertFunction(
      "taihu_yield_while_waiting", Type::getVoidTy(context), PointerType::getUnqual(context));
  AllocaInst* const counter = add_counter(loop);
  for (BasicBlock* latch : latches) {
    IRBuilder<> builder(latch->getTerminator());
    CallInst* call = builder.CreateCall(yield, {counter});
    // A call in a function with debug information must have a place.
    const DISubprogram* program = latch->getParent()->getSubprogram();
    if (program == nullptr) continue;
    const DebugLoc start = loop.getStartLoc();
    call->setDebugLoc(start ? start
                            : DebugLoc(DILocation::get(context, program->getLine(), 0,
                                                       const_cast<DISubprogram*>(program))));
  }
}

}  // namespace

PreservedAnalyses YieldPass::run(Function& function, FunctionAnalysisManager& analyses) {
  SmallVector<const Loop*> waiting;
  for (const Loop* loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder()) {
    if (loop->isInnermost() && WaitingLoop(*loop).holds()) waiting.push_back(loop);
  }
  for (const Loop* loop : waiting) add_yield(*loop);
  return waiting.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace taihu::compiler
