// SPDX-License-Identifier: Apache-2.0
// Look-ups that are fetched ahead. In the copy of a loop each iteration also computes the address that a
// later one will look up, and asks for it:
//
//   preheader: enough iterations ? sample : before
//   sample: addresses of some iterations; taihu_prefetch_ahead -> before
//   before: may pay ? turn : plain
//   turn: taihu_next_look_up_turn; with prefetches ? copy of the loop : another copy, without
//   both copies: until the turn ends -> was it the last ? exit : turn
//   plain -> the loop as it was -> exit
//
// Whether it pays depends on what the processor finds and guesses by itself, so the first turns are timed.
// What a later iteration will look up is found in an index array, which the loop reads there in any case.
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "taihu/abi/host_loops.h"
#include "taihu/compiler/host_look_up_plan.h"
#include "taihu/compiler/host_loops.h"
#include "taihu/compiler/loop_copy.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

class LookUpBuilder : LoopCopy {
 public:
  LookUpBuilder(const LookUpPlan& plan, const FunctionFacts& facts)
      : LoopCopy(*plan.loop, facts.evolution, "look.up"), plan_(plan) {}

  void run() {
    Type* word = builder_.getInt64Ty();
    Instruction* place = preheader_->getTerminator();
    const SCEV* count = evolution_.getNoopOrZeroExtend(evolution_.getBackedgeTakenCount(&root_), word);
    last_ = expander_.expandCodeFor(count, word, place);
    for (const LookUp& look_up : plan_.look_ups) find_moved(*look_up.pointer);
    for (PHINode& variable : header_->phis())
      if (const SCEVAddRecExpr* moved = moved_by_loop(&variable, root_, evolution_);
          moved != nullptr && isa<SCEVConstant>(moved->getStepRecurrence(evolution_)))
        find_moved(variable);
    make_stage(samples_bytes + sizeof(taihu_look_up_turns), "looked.up");
    ask();
    choose_turns();
  }

 private:
  static constexpr uint64_t samples_bytes = 2UL * TAIHU_LOOK_UP_SAMPLES * sizeof(char*);
  struct Moved {
    Value *start, *step;
  };
  /// A copy of the loop for the iterations of a turn.
  struct Turn {
    ValueToValueMapTy copies;
    BasicBlock* begin = nullptr;
    PHINode* number = nullptr;  ///< of the iteration
  };

  /// Starts and steps of what moves, before the loop.
  void find_moved(Value& value) {
    auto* instruction = dyn_cast<Instruction>(&value);
    if (instruction == nullptr || !root_.contains(instruction) || moved_.contains(&value)) return;
    if (const SCEVAddRecExpr* moved = moved_by_loop(&value, root_, evolution_)) {
      Instruction* place = preheader_->getTerminator();
      const SCEV* step = moved->getStepRecurrence(evolution_);
      moved_[&value] = {expander_.expandCodeFor(moved->getStart(), value.getType(), place),
                        expander_.expandCodeFor(step, step->getType(), place)};
      return;
    }
    if (auto* load = dyn_cast<LoadInst>(instruction)) return find_moved(*load->getPointerOperand());
    for (Use& operand : instruction->operands()) find_moved(*operand.get());
  }

  /// `value` as it is in iteration number `iteration`, at the builder's place.
  Value* compute(Value& value, Value* iteration, DenseMap<Value*, Value*>& known) {
    auto* instruction = dyn_cast<Instruction>(&value);
    if (instruction == nullptr || !root_.contains(instruction)) return &value;
    if (Value* before = known.lookup(&value)) return before;
    Value* result = nullptr;
    if (const auto moved = moved_.find(&value); moved != moved_.end()) {
      const auto [start, step] = moved->second;
      Value* distance = builder_.CreateMul(builder_.CreateZExtOrTrunc(iteration, step->getType()), step);
      result = start->getType()->isPointerTy() ? builder_.CreatePtrAdd(start, distance)
                                               : builder_.CreateAdd(start, distance);
    } else if (auto* load = dyn_cast<LoadInst>(instruction)) {
      Value* pointer = compute(*load->getPointerOperand(), iteration, known);
      // The loop may write it until then.
      result = builder_.CreateFreeze(builder_.CreateAlignedLoad(load->getType(), pointer, load->getAlign()));
    } else {
      SmallVector<Value*> operands;
      for (Use& operand : instruction->operands())
        operands.push_back(compute(*operand.get(), iteration, known));
      Instruction* copy = instruction->clone();
      for (unsigned k = 0; k < operands.size(); ++k) copy->setOperand(k, operands[k]);
      copy->dropPoisonGeneratingFlags();
      copy->dropUnknownNonDebugMetadata();
      result = builder_.Insert(copy);
    }
    known[&value] = result;
    return result;
  }

  Value* no_later_than_last(Value* iteration) {
    return builder_.CreateBinaryIntrinsic(Intrinsic::umin, iteration, last_);
  }

  /// Sets `ahead_` and `began_` before the loop.
  void ask() {
    Type* word = builder_.getInt64Ty();
    builder_.SetInsertPoint(preheader_->getTerminator());
    builder_.SetCurrentDebugLocation(place_);
    Value* is_long = builder_.CreateICmpUGE(last_, builder_.getInt64(least_host_iterations()));
    BasicBlock* before = preheader_;
    Instruction* end =
        SplitBlockAndInsertIfThen(is_long, preheader_->getTerminator(), false, rarely(context_));
    preheader_ = end->getSuccessor(0);
    builder_.SetInsertPoint(end);
    builder_.SetCurrentDebugLocation(place_);
    set(samples_bytes + offsetof(taihu_look_up_turns, turn), 0UL);
    Value* ahead = builder_.getInt64(0);
    for (const LookUp& look_up : plan_.look_ups) {
      take_samples(*look_up.pointer, *end);
      builder_.SetInsertPoint(end);
      builder_.SetCurrentDebugLocation(place_);
      Value* one = builder_.CreateCall(runtime("taihu_prefetch_ahead", word), stage_);
      ahead = builder_.CreateBinaryIntrinsic(Intrinsic::umax, ahead, one);
    }
    builder_.SetInsertPoint(preheader_, preheader_->begin());
    PHINode* chosen = builder_.CreatePHI(word, 2, "ahead");
    chosen->addIncoming(builder_.getInt64(0), before);
    chosen->addIncoming(ahead, end->getParent());
    builder_.SetInsertPoint(preheader_->getTerminator());
    builder_.SetCurrentDebugLocation(place_);
    ahead_ = chosen;
    began_ = builder_.CreateICmpNE(chosen, builder_.getInt64(0));
  }

  /// Addresses of iterations all over the loop, and of the next ones, go to the stage.
  void take_samples(Value& pointer, Instruction& end) {
    builder_.SetInsertPoint(&end);
    builder_.SetCurrentDebugLocation(place_);
    Value* step = builder_.CreateUDiv(last_, builder_.getInt64(TAIHU_LOOK_UP_SAMPLES));
    const auto [body, number] =
        SplitBlockAndInsertSimpleForLoop(builder_.getInt64(TAIHU_LOOK_UP_SAMPLES), &end);
    builder_.SetInsertPoint(body);
    builder_.SetCurrentDebugLocation(place_);
    Value* iteration = builder_.CreateMul(number, step);
    for (uint64_t k = 0; k < 2; ++k) {
      DenseMap<Value*, Value*> known;
      Value* which = no_later_than_last(builder_.CreateAdd(iteration, builder_.getInt64(k)));
      Value* address = compute(pointer, which, known);
      Value* place = builder_.CreateAdd(builder_.CreateShl(number, 1), builder_.getInt64(k));
      builder_.CreateAlignedStore(address, builder_.CreateGEP(builder_.getPtrTy(), stage_, place), Align(8));
    }
  }

  void choose_turns() {
    first_ = BasicBlock::Create(context_, "turn", &function_, exit_);
    choose(rarely(context_));
    builder_.SetInsertPoint(first_);
    builder_.SetCurrentDebugLocation(place_);
    for (PHINode& variable : header_->phis()) {
      if (moved_.contains(&variable)) continue;
      PHINode* value = builder_.CreatePHI(variable.getType(), 3);
      value->addIncoming(variable.getIncomingValueForBlock(plain_), preheader_);
      variables_[&variable] = value;
    }
    first_number_ = builder_.CreatePHI(builder_.getInt64Ty(), 3, "turn.begin");
    first_number_->addIncoming(builder_.getInt64(0), preheader_);
    // What the number of the iteration says is not counted a second time.
    DenseMap<Value*, Value*> known;
    for (PHINode& variable : header_->phis())
      if (moved_.contains(&variable)) variables_[&variable] = compute(variable, first_number_, known);
    const FunctionCallee next = function_.getParent()->getOrInsertFunction(
        "taihu_next_look_up_turn", builder_.getVoidTy(), builder_.getPtrTy(), builder_.getInt64Ty());
    builder_.CreateCall(next, {field(samples_bytes), ahead_});
    turn_last_ = no_later_than_last(of_turn(offsetof(taihu_look_up_turns, last)));
    Value* fetches =
        builder_.CreateICmpNE(of_turn(offsetof(taihu_look_up_turns, ahead)), builder_.getInt64(0));
    Turn ahead, without;
    make_turn(ahead, "ahead");
    make_turn(without, "without");
    builder_.SetInsertPoint(first_);
    builder_.SetCurrentDebugLocation(place_);
    builder_.CreateCondBr(fetches, ahead.begin, without.begin);
    prefetch(*cast<BasicBlock>(ahead.copies[header_]), *ahead.number);
  }

  Value* of_turn(uint64_t offset) {
    return builder_.CreateAlignedLoad(builder_.getInt64Ty(), field(samples_bytes + offset), Align(8));
  }

  /// From iteration `first_number_` to `turn_last_`, and then to the exit, or to the next turn.
  void make_turn(Turn& turn, const Twine& name) {
    clone_blocks(turn.copies, "." + name);
    auto* header = cast<BasicBlock>(turn.copies[header_]);
    auto* latch = cast<BasicBlock>(turn.copies[latch_]);
    const auto value_at_end = [&](const PHINode& variable) {
      Value* value = variable.getIncomingValueForBlock(latch_);
      const auto copy = turn.copies.find(value);
      return copy != turn.copies.end() ? static_cast<Value*>(copy->second) : value;
    };
    turn.begin = BasicBlock::Create(context_, name, &function_, header);
    BasicBlock* end = BasicBlock::Create(context_, name + ".end", &function_, exit_);
    BasicBlock* left = BasicBlock::Create(context_, name + ".left", &function_, exit_);
    BranchInst::Create(header, turn.begin)->setDebugLoc(place_);
    header->replacePhiUsesWith(plain_, turn.begin);
    builder_.SetInsertPoint(latch->getTerminator());
    builder_.SetCurrentDebugLocation(place_);
    turn.number = PHINode::Create(builder_.getInt64Ty(), 2, "iteration", header->begin());
    turn.number->addIncoming(first_number_, turn.begin);
    turn.number->addIncoming(builder_.CreateAdd(turn.number, builder_.getInt64(1)), latch);
    BranchInst* again = builder_.CreateCondBr(builder_.CreateICmpEQ(turn.number, turn_last_), end, header);
    again->setMetadata(LLVMContext::MD_loop, latch->getTerminator()->getMetadata(LLVMContext::MD_loop));
    latch->getTerminator()->eraseFromParent();
    builder_.SetInsertPoint(end);
    for (PHINode& variable : header_->phis()) {
      Value* value = variables_[&variable];
      cast<PHINode>(turn.copies[&variable])->setIncomingValueForBlock(turn.begin, value);
      if (!moved_.contains(&variable)) cast<PHINode>(value)->addIncoming(value_at_end(variable), end);
    }
    first_number_->addIncoming(builder_.CreateAdd(turn_last_, builder_.getInt64(1)), end);
    builder_.CreateCondBr(builder_.CreateICmpEQ(turn_last_, last_), left, first_);
    builder_.SetInsertPoint(left);
    builder_.CreateBr(exit_);
    for (PHINode& variable : exit_->phis()) variable.addIncoming(value_at_end(variable), left);
  }

  void prefetch(BasicBlock& header, PHINode& number) {
    builder_.SetInsertPoint(&header, header.getFirstInsertionPt());
    builder_.SetCurrentDebugLocation(place_);
    Value* later = no_later_than_last(builder_.CreateAdd(&number, ahead_));
    DenseMap<Value*, Value*> known;
    for (const LookUp& look_up : plan_.look_ups) {
      Value* address = compute(*look_up.pointer, later, known);
      constexpr uint32_t into_all_caches = 3, of_data = 1;
      builder_.CreateIntrinsic(Intrinsic::prefetch, {address->getType()},
                               {address, builder_.getInt32(look_up.is_written ? 1 : 0),
                                builder_.getInt32(into_all_caches), builder_.getInt32(of_data)});
    }
  }

  const LookUpPlan& plan_;
  Value* last_ = nullptr;                 ///< number of the last iteration, from 0
  Value* ahead_ = nullptr;                ///< iterations; 0: the loop as it was
  DenseMap<PHINode*, Value*> variables_;  ///< of the loop, when a turn begins
  PHINode* first_number_ = nullptr;       ///< of the iterations of a turn
  Value* turn_last_ = nullptr;
  DenseMap<Value*, Moved> moved_;
};

}  // namespace

PreservedAnalyses HostLookUpPass::run(Module& module, ModuleAnalysisManager& analyses) {
  if (!wants_host_loops(module, "taihu.host.look.ups")) return PreservedAnalyses::all();
  auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (Function* function : functions_of_kernels(module))
    for (BasicBlock* header : loops_of(*function, functions, false)) {
      const FunctionFacts facts = facts_of(*function, functions);
      std::string problem;
      Loop* loop = copyable_loop(*header, facts, problem);
      if (loop == nullptr) {
        if (const Loop* left = facts.loops.getLoopFor(header);
            left != nullptr && left->isInnermost() && !problem.empty())
          note_host_loop(*left, "left as it is: " + problem, false);
        continue;
      }
      const LookUpPlan plan = plan_look_ups(*loop, facts);
      if (plan.look_ups.empty()) continue;
      std::string text = "looks up";
      for (const LookUp& look_up : plan.look_ups) text += " " + look_up.name + ",";
      text.back() = ':';
      note_host_loop(*loop, text + " fetched ahead where the run finds them scattered", true);
      LookUpBuilder(plan, facts).run();
      functions.invalidate(*function, PreservedAnalyses::none());
    }
  return PreservedAnalyses::none();
}

}  // namespace taihu::compiler
