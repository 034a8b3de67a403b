// SPDX-License-Identifier: Apache-2.0
// Loops that wait: `while (*reply < n);`. Accelerator threads take turns on the cores, so such a loop must
// give its core away, or the others, for whose stores it waits, continue only after the runtime has noticed
// it.
//
// A loop waits when it has no effect (but to take a lock by an exchange), calls nothing (but a pause), takes
// no step (a variable of the function whose new value depends on an old one), and reads memory that others
// may write. It gets a call of taihu_yield_while_waiting in front of each way back to its header, with a
// counter that is 0 at each way in: so the runtime can tell a thread that still waits from one that waits
// again.
//
// A loop may wait when it does take steps (it counts its turns) or calls functions, but one of its ends
// depends on a call or on memory that others may write, and on no step; and all that it reads is at places
// that no step chooses. It may compute as well, so it yields in one of many turns only, and nobody takes it
// for stuck. Runs before all optimisation: a loop without volatile or atomic reads would be optimised away.
#include <functional>
#include <map>
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
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

/// The place that `instruction` reads and others may write, by a load or an exchange; null: it reads none.
const Value* shared_place(const Instruction& instruction) {
  const Value* place = nullptr;
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) place = load->getPointerOperand();
  if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) place = exchange->getPointerOperand();
  if (const auto* update = dyn_cast<AtomicRMWInst>(&instruction)) {
    // Others (a sum) hand out work.
    if (update->getOperation() == AtomicRMWInst::Xchg) place = update->getPointerOperand();
  }
  return place != nullptr && local_at(place) == nullptr ? place : nullptr;
}

bool is_call(const Instruction& instruction) {
  return isa<CallInst>(instruction) && !isa<IntrinsicInst>(instruction) && !is_marker(&instruction) &&
         !cast<CallInst>(instruction).isInlineAsm() && !cast<CallInst>(instruction).doesNotReturn();
}

class WaitingLoop {
 public:
  enum class Kind { computes, may_wait, waits };

  WaitingLoop(const Loop& loop, const LoopInfo& loops, const DominatorTree& dominators)
      : loop_(loop), loops_(loops), dominators_(dominators) {}

  Kind kind() {
    if (isa<PHINode>(loop_.getHeader()->front())) return Kind::computes;  // optimised before: it may count
    if (!collect_stores()) return Kind::computes;
    bool looks = false;
    bool calls = false;
    for (const Instruction& instruction : instructions()) {
      if (const auto* store = dyn_cast<StoreInst>(&instruction)) {
        collect(store->getValueOperand(), sources_[local_at(store->getPointerOperand())]);
      } else if (const Value* place = shared_place(instruction)) {
        looks = true;
        places_.push_back(place);
      } else if (is_call(instruction)) {
        calls = true;
      } else if (!is_marker(&instruction) && !isa<FenceInst>(instruction) && !isa<LoadInst>(instruction)) {
        if (isa<CallBase>(instruction) || instruction.mayWriteToMemory()) return Kind::computes;
      }
    }
    for (const AllocaInst* variable : stored_) {
      if (takes_steps(variable)) stepped_.insert(variable);
    }
    if (looks && !calls && stepped_.empty()) return Kind::waits;
    return may_wait() ? Kind::may_wait : Kind::computes;
  }

 private:
  /// Variables that the loop stores to, and whether the value read in a turn may be the one before it.
  using Variables = std::map<const AllocaInst*, bool>;
  /// What a value is computed from.
  struct Sources {
    Variables variables;
    bool is_others = false;  ///< a call's result, or memory that others may write
  };

  SmallVector<std::reference_wrapper<const Instruction>> instructions() const {
    SmallVector<std::reference_wrapper<const Instruction>> all;
    for (const BasicBlock* block : loop_.blocks()) all.append(block->begin(), block->end());
    return all;
  }

  /// False: it stores to memory of others.
  bool collect_stores() {
    for (const Instruction& instruction : instructions()) {
      const auto* store = dyn_cast<StoreInst>(&instruction);
      if (store == nullptr) continue;
      const AllocaInst* variable = local_at(store->getPointerOperand());
      if (variable == nullptr || store->isVolatile()) return false;
      stored_.insert(variable);
      if (loops_.getLoopFor(store->getParent()) == &loop_) resets_[variable].push_back(store);
    }
    return true;
  }

  /// Whether each turn has stored to `variable` before `load`.
  bool is_reset_before(const AllocaInst* variable, const LoadInst& load) const {
    const auto found = resets_.find(variable);
    return found != resets_.end() &&
           any_of(found->second, [&](const StoreInst* store) { return dominators_.dominates(store, &load); });
  }

  void collect(const Value* value, Sources& found) {
    const auto* instruction = dyn_cast<Instruction>(value);
    if (instruction == nullptr || !loop_.contains(instruction)) return;
    if (isa<PHINode>(instruction)) {  // of && and ||, or of ?:, which may count
      if (!instruction->getType()->isIntegerTy(1)) {
        for (const AllocaInst* variable : stored_) found.variables[variable] = true;
      }
      return;
    }
    if (const auto* load = dyn_cast<LoadInst>(instruction)) {
      if (const AllocaInst* variable = local_at(load->getPointerOperand())) {
        if (stored_.contains(variable)) found.variables[variable] |= !is_reset_before(variable, *load);
        return;
      }
    }
    if (const Value* place = shared_place(*instruction)) {
      found.is_others = true;
      return collect(place, found);
    }
    found.is_others = found.is_others || is_call(*instruction);
    for (const Use& operand : instruction->operands()) collect(operand, found);
  }

  /// Whether the new value of `variable` comes from its old one, also by way of others.
  bool takes_steps(const AllocaInst* variable) {
    return any_of(sources_[variable].variables, [&](const auto& input) {
      return input.second && all_sources(input.first).variables.contains(variable);
    });
  }

  /// `variable` itself, and whatever its values are computed from.
  Sources all_sources(const AllocaInst* variable) {
    Sources all;
    SmallVector<const AllocaInst*> open{variable};
    all.variables[variable] = true;
    while (!open.empty()) {
      const Sources& sources = sources_[open.pop_back_val()];
      all.is_others = all.is_others || sources.is_others;
      for (const auto& input : sources.variables) {
        if (all.variables.emplace(input.first, true).second) open.push_back(input.first);
      }
    }
    return all;
  }

  Sources all_sources(const Value* value) {
    Sources all;
    collect(value, all);
    const Variables direct = all.variables;
    for (const auto& input : direct) {
      Sources more = all_sources(input.first);
      all.is_others = all.is_others || more.is_others;
      all.variables.insert(more.variables.begin(), more.variables.end());
    }
    return all;
  }

  bool depends_on_steps(const Sources& sources) const {
    return any_of(sources.variables, [&](const auto& input) { return stepped_.contains(input.first); });
  }

  bool may_wait() {
    if (any_of(places_, [&](const Value* place) { return depends_on_steps(all_sources(place)); }))
      return false;
    SmallVector<BasicBlock*> exiting;
    loop_.getExitingBlocks(exiting);
    SmallPtrSet<const Value*, 4> seen;
    return any_of(exiting, [&](const BasicBlock* block) { return awaits_others(*block, seen); });
  }

  /// Whether a condition by which `block` branches is for others to fulfil.
  bool awaits_others(const BasicBlock& block, SmallPtrSet<const Value*, 4>& seen) {
    if (const auto* branch = dyn_cast<BranchInst>(block.getTerminator()))
      return branch->isConditional() && awaits_others(*branch->getCondition(), seen);
    const auto* choice = dyn_cast<SwitchInst>(block.getTerminator());
    return choice != nullptr && awaits_others(*choice->getCondition(), seen);
  }

  bool awaits_others(const Value& condition, SmallPtrSet<const Value*, 4>& seen) {
    if (!seen.insert(&condition).second) return false;
    if (const auto* either = dyn_cast<PHINode>(&condition)) {  // of && and ||: each part may end the loop
      return loop_.contains(either) && any_of(either->blocks(), [&](const BasicBlock* block) {
               const Value* const value = either->getIncomingValueForBlock(block);
               return isa<Constant>(value) ? loop_.contains(block) && awaits_others(*block, seen)
                                           : awaits_others(*value, seen);
             });
    }
    if (const auto* negated = dyn_cast<BinaryOperator>(&condition);
        negated != nullptr && isa<PHINode>(negated->getOperand(0)))
      return awaits_others(*negated->getOperand(0), seen);
    const Sources sources = all_sources(&condition);
    return sources.is_others && !depends_on_steps(sources);
  }

  const Loop& loop_;
  const LoopInfo& loops_;
  const DominatorTree& dominators_;
  SmallPtrSet<const AllocaInst*, 4> stored_;
  SmallPtrSet<const AllocaInst*, 4> stepped_;
  /// Stores of the loop itself, of no loop in it.
  DenseMap<const AllocaInst*, SmallVector<const StoreInst*, 2>> resets_;
  std::map<const AllocaInst*, Sources> sources_;  ///< of each that the loop stores to
  SmallVector<const Value*> places_;              ///< that it reads and others may write
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

void add_yield(const Loop& loop, WaitingLoop::Kind kind) {
  constexpr std::uint64_t turns_between_yields = 32;  // a power of two; of loops that may compute
  SmallVector<BasicBlock*> latches;
  loop.getLoopLatches(latches);
  Module& module = *loop.getHeader()->getModule();
  LLVMContext& context = module.getContext();
  AllocaInst* const counter = add_counter(loop);
  for (BasicBlock* latch : latches) {
    Instruction* place = latch->getTerminator();
    IRBuilder<> builder(place);
    const DISubprogram* program = latch->getParent()->getSubprogram();
    if (program != nullptr) {  // a call in a function with debug information must have a place
      const DebugLoc start = loop.getStartLoc();
      builder.SetCurrentDebugLocation(start ? start
                                            : DebugLoc(DILocation::get(context, program->getLine(), 0,
                                                                       const_cast<DISubprogram*>(program))));
    }
    if (kind == WaitingLoop::Kind::waits) {
      builder.CreateCall(module.getOrInsertFunction("taihu_yield_while_waiting", builder.getVoidTy(),
                                                    PointerType::getUnqual(context)),
                         {counter});
      continue;
    }
    Value* const turns =
        builder.CreateAdd(builder.CreateLoad(builder.getInt64Ty(), counter), builder.getInt64(1));
    builder.CreateStore(turns, counter);
    Value* const is_due = builder.CreateICmpEQ(
        builder.CreateAnd(turns, builder.getInt64(turns_between_yields - 1)), builder.getInt64(0));
    const DebugLoc line = builder.getCurrentDebugLocation();
    builder.SetInsertPoint(SplitBlockAndInsertIfThen(is_due, place, false));
    builder.SetCurrentDebugLocation(line);
    builder.CreateCall(module.getOrInsertFunction("taihu_yield_to_others", builder.getVoidTy()));
  }
}

}  // namespace

PreservedAnalyses YieldPass::run(Function& function, FunctionAnalysisManager& analyses) {
  const LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
  const DominatorTree& dominators = analyses.getResult<DominatorTreeAnalysis>(function);
  SmallVector<std::pair<const Loop*, WaitingLoop::Kind>> waiting;
  // Inner loops first: one around a loop that yields need not.
  const SmallVector<Loop*, 4> outer_first = loops.getLoopsInPreorder();
  for (const Loop* loop : reverse(outer_first)) {
    if (any_of(waiting, [&](const auto& inner) { return loop->contains(inner.first); })) continue;
    const WaitingLoop::Kind kind = WaitingLoop(*loop, loops, dominators).kind();
    if (kind != WaitingLoop::Kind::computes) waiting.emplace_back(loop, kind);
  }
  for (const auto& [loop, kind] : waiting) add_yield(*loop, kind);
  return waiting.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

}  // namespace taihu::compiler
