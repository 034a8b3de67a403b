// SPDX-License-Identifier: Apache-2.0
// Columns that are walked along rows. Of a nest whose inner loop steps from row to row while the outer one
// goes along them, each iteration of the inner loop brings a line of which it uses one element, and when the
// next column needs the line it is gone. In the copy some columns, a strip, are done together:
//
//   preheader: enough iterations ? ask : before
//   ask: may be, and the lines of a column do not stay in the caches -> before
//   before: pays ? strips : plain
//   strips: for each strip of iterations of the outer loop
//     what stands before the inner loop, for each of the strip: first values of what the inner loop carries
//     for each iteration of the inner loop: for each of the strip: the body
//     what stands after the inner loop, for each of the strip
//   plain -> the nest as it was -> exit
//
// Carried values lie in an array on the stack for the strip. No result changes: each column is computed in
// its order.
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "taihu/compiler/host_loops.h"
#include "taihu/compiler/host_strip_plan.h"
#include "taihu/compiler/loop_copy.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

/// Of the first cache, which has 64 sets of lines on these processors, and no more than this.
constexpr uint64_t first_cache_bytes = 48UL << 10, least_step = 64, set_bytes = 4096;
/// Of the second one, where lines 64 KiB apart or more may share a set.
constexpr uint64_t second_cache_bytes = 1UL << 20, second_set_bytes = 64UL << 10;
/// The last cache has others' data too, and holds less than a row of stores that had better pass it.
constexpr uint64_t part_of_last_cache = 8;
/// Loops of so many iterations are not looked at: products with their steps could wrap around.
constexpr uint64_t most_iterations = 1UL << 40;
constexpr uint64_t least_columns = 8;
/// Of the inner loop, below which the first cache has all lines of a column, and of both loops together,
/// below which to ask would take its time from the nest.
constexpr uint64_t least_rows = first_cache_bytes / set_bytes, least_iterations = 2048;

class StripBuilder : LoopCopy {
 public:
  StripBuilder(const StripPlan& plan, const FunctionFacts& facts)
      : LoopCopy(*plan.root, facts.evolution, "strip"), plan_(plan) {}

  void run() {
    prepare();
    first_ = BasicBlock::Create(context_, "strips", &function_, exit_);
    end_ = BasicBlock::Create(context_, "strips.end", &function_, exit_);
    choose(rarely(context_));
    builder_.SetInsertPoint(first_);
    builder_.SetCurrentDebugLocation(place_);
    const Counted strips = open("strip.begin");
    begin_ = strips.number;
    // Counted from 0, so that everybody sees how short these loops are.
    Value* last = builder_.CreateBinaryIntrinsic(Intrinsic::umin, builder_.CreateSub(outer_last_, begin_),
                                                 number(plan_.strip - 1));
    if (!plan_.carried.empty()) {
      const Counted columns = open("strip.before");
      Values known;
      for (std::size_t k = 0; k < plan_.carried.size(); ++k)
        keep(k, columns.number, compute(*first_value(*plan_.carried[k]), columns.number, known));
      close(columns, last);
    }
    const Counted rows = open("strip.row");
    const Counted columns = open("strip.column");
    copy_body(columns.number, rows.number);
    close(columns, last);
    close(rows, inner_last_);
    if (has_stores_after()) {
      const Counted after = open("strip.after");
      copy_after(after.number);
      close(after, last);
    }
    Value* is_end = builder_.CreateICmpEQ(builder_.CreateAdd(begin_, last), outer_last_);
    Value* next = builder_.CreateAdd(begin_, number(plan_.strip));
    strips.number->addIncoming(next, builder_.GetInsertBlock());
    builder_.CreateCondBr(is_end, end_, strips.head);
    builder_.SetInsertPoint(end_);
    builder_.CreateBr(exit_);
    for (PHINode& variable : exit_->phis()) {
      Value* value = variable.getIncomingValueForBlock(latch_);
      const auto* instruction = dyn_cast<Instruction>(value);
      const bool is_unused = instruction != nullptr && root_.contains(instruction);  // as the plan has found
      variable.addIncoming(is_unused ? PoisonValue::get(variable.getType()) : value, end_);
    }
  }

  /// Leaves the loops as they were before run().
  void take_back() {
    auto* choice = cast<BranchInst>(preheader_->getTerminator());
    BranchInst::Create(plain_, choice)->setDebugLoc(place_);
    first_->removePredecessor(preheader_);
    choice->eraseFromParent();
    EliminateUnreachableBlocks(function_);
  }

 private:
  using Values = DenseMap<Value*, Value*>;
  struct Counted {
    BasicBlock* head;
    PHINode* number;
  };
  struct Moved {
    Value *start, *step;
  };

  Value* number(uint64_t value) { return builder_.getInt64(value); }

  Value* first_value(PHINode& variable) {
    return variable.getIncomingValueForBlock(plan_.inner->getLoopPreheader());
  }

  Value* expand(const SCEV* value) {
    return expander_.expandCodeFor(value, value->getType(), before_->getTerminator());
  }
  Value* expand_word(const SCEV* value) {
    return expand(evolution_.getTruncateOrSignExtend(value, builder_.getInt64Ty()));
  }
  Value* last_of(const Loop& loop) {
    return expand(
        evolution_.getNoopOrZeroExtend(evolution_.getBackedgeTakenCount(&loop), builder_.getInt64Ty()));
  }

  /// Goes on in a block that only nests of enough iterations come to. Returns its end.
  Instruction* skip_short_nests() {
    builder_.SetInsertPoint(before_->getTerminator());
    builder_.SetCurrentDebugLocation(place_);
    Value* is_long = builder_.getTrue();
    if (least_host_iterations() != 0) {
      // May be poison where guards do not hold, and any number then.
      Value *outer = builder_.CreateFreeze(outer_last_), *inner = builder_.CreateFreeze(inner_last_);
      is_long = builder_.CreateAnd(
          builder_.CreateICmpUGE(builder_.CreateMul(outer, inner), number(least_iterations)),
          builder_.CreateAnd(builder_.CreateICmpUGE(outer, number(least_columns - 1)),
                             builder_.CreateICmpUGE(inner, number(least_rows))));
    }
    Instruction* end = SplitBlockAndInsertIfThen(is_long, before_->getTerminator(), false, rarely(context_));
    preheader_ = end->getSuccessor(0);
    return end;
  }

  /// What is computed before the nest, and `began_`.
  void prepare() {
    before_ = preheader_;
    outer_last_ = last_of(root_);
    inner_last_ = last_of(*plan_.inner);
    for (Loop* loop : {plan_.root, plan_.inner})
      for (PHINode& variable : loop->getHeader()->phis()) {
        if (is_contained(plan_.carried, &variable)) continue;
        const auto* moved = cast<SCEVAddRecExpr>(evolution_.getSCEV(&variable));
        Value* start =
            loop == plan_.root ? variable.getIncomingValueForBlock(preheader_) : first_value(variable);
        moved_[&variable] = {start, expand(moved->getStepRecurrence(evolution_))};
      }
    Instruction* end = skip_short_nests();
    builder_.SetInsertPoint(end);
    builder_.SetCurrentDebugLocation(place_);
    // Guards first: where they do not hold, the others may be poison, which a select does not look at.
    Value* may_be = builder_.getTrue();
    const auto require = [&](Value* condition) { may_be = builder_.CreateLogicalAnd(may_be, condition); };
    for (const auto& [condition, must_be] : plan_.guards)
      require(must_be ? condition : builder_.CreateNot(condition));
    require(builder_.CreateICmpULT(outer_last_, number(most_iterations)));
    require(builder_.CreateICmpULT(inner_last_, number(most_iterations)));
    for (const SCEV* step : plan_.positive) require(builder_.CreateICmpSGT(expand_word(step), number(0)));
    for (const RowLength& row : plan_.rows) {
      Value* step =
          builder_.CreateBinaryIntrinsic(Intrinsic::abs, expand_word(row.step), builder_.getFalse());
      Value* length = builder_.CreateMul(row.loop == &root_ ? outer_last_ : inner_last_, step);
      require(builder_.CreateICmpULE(builder_.CreateAdd(length, number(static_cast<uint64_t>(row.width))),
                                     expand_word(row.pitch)));
    }
    if (least_host_iterations() != 0) {
      require(leaves_cache(first_cache_bytes, set_bytes));
      if (plan_.bytes_along_rows != 0)
        require(
            builder_.CreateOr(leaves_cache(second_cache_bytes, second_set_bytes), last_cache_holds_all()));
    }
    Value* pays = builder_.CreateFreeze(may_be);  // steps of accesses that are not made may be poison
    builder_.SetInsertPoint(preheader_, preheader_->begin());
    PHINode* chosen = builder_.CreatePHI(builder_.getInt1Ty(), 2, "pays");
    chosen->addIncoming(builder_.getFalse(), before_);
    chosen->addIncoming(pays, end->getParent());
    began_ = chosen;
    builder_.SetInsertPoint(&function_.getEntryBlock(), function_.getEntryBlock().getFirstInsertionPt());
    builder_.SetCurrentDebugLocation(DebugLoc());
    for (const PHINode* variable : plan_.carried)
      kept_.push_back(
          builder_.CreateAlloca(ArrayType::get(variable->getType(), plan_.strip), nullptr, "strip.carried"));
  }

  /// Lines of a column lie in few sets where its step is a multiple of a power of two.
  Value* leaves_cache(uint64_t cache_bytes, uint64_t bytes_of_sets) {
    Value* any = builder_.getFalse();
    for (const SCEV* step : plan_.far_steps) {
      Value* bytes = expand_word(step);
      Value* unit = builder_.CreateAnd(bytes, builder_.CreateNeg(bytes));
      unit = builder_.CreateBinaryIntrinsic(Intrinsic::umax, unit, number(least_step));
      unit = builder_.CreateBinaryIntrinsic(Intrinsic::umin, unit, number(bytes_of_sets));
      any = builder_.CreateOr(
          any, builder_.CreateICmpUGE(builder_.CreateMul(unit, inner_last_), number(cache_bytes)));
    }
    return any;
  }

  /// Beyond it, rows that are written one beside the other wait for memory, which the processor reads ahead
  /// where they are written one after the other. The loop as it was loses little while the second cache holds
  /// a column.
  Value* last_cache_holds_all() {
    constexpr uint64_t most = 1UL << 24;  // products stay below 2^64
    Value* all = number(uint64_t{plan_.bytes_along_rows} * part_of_last_cache);
    for (Value* last : {outer_last_, inner_last_})
      all = builder_.CreateMul(all, builder_.CreateBinaryIntrinsic(Intrinsic::umin, last, number(most)));
    const FunctionCallee question = function_.getParent()->getOrInsertFunction(
        "taihu_stores_pass_caches", builder_.getInt32Ty(), builder_.getInt64Ty());
    return builder_.CreateICmpEQ(builder_.CreateCall(question, builder_.CreateFreeze(all)),
                                 builder_.getInt32(0));
  }

  /// A loop that begins at the builder's place; its number counts from 0.
  Counted open(const char* name) {
    BasicBlock* head = BasicBlock::Create(context_, name, &function_, end_);
    BasicBlock* before = builder_.GetInsertBlock();
    builder_.CreateBr(head);
    builder_.SetInsertPoint(head);
    PHINode* number = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    number->addIncoming(builder_.getInt64(0), before);
    return {head, number};
  }

  void close(const Counted& loop, Value* last) {
    BasicBlock* next = BasicBlock::Create(context_, loop.head->getName() + ".end", &function_, end_);
    Value* later = builder_.CreateAdd(loop.number, number(1));
    loop.number->addIncoming(later, builder_.GetInsertBlock());
    builder_.CreateCondBr(builder_.CreateICmpEQ(loop.number, last), next, loop.head);
    builder_.SetInsertPoint(next);
  }

  Value* place_of(std::size_t carried, Value* column) {
    return builder_.CreateGEP(plan_.carried[carried]->getType(), kept_[carried], column);
  }
  void keep(std::size_t carried, Value* column, Value* value) {
    builder_.CreateStore(value, place_of(carried, column));
  }
  Value* kept(std::size_t carried, Value* column) {
    return builder_.CreateLoad(plan_.carried[carried]->getType(), place_of(carried, column));
  }

  Value* moved_by(Value* start, Value* step, Value* iteration) {
    Value* distance = builder_.CreateMul(builder_.CreateZExtOrTrunc(iteration, step->getType()), step);
    return start->getType()->isPointerTy() ? builder_.CreatePtrAdd(start, distance)
                                           : builder_.CreateAdd(start, distance);
  }

  /// A value from outside of the inner loop as it is for `column`, or a last one of it, at the builder's
  /// place.
  Value* compute(Value& value, Value* column, Values& known) {
    auto* instruction = dyn_cast<Instruction>(&value);
    if (instruction == nullptr || !root_.contains(instruction)) return &value;
    if (Value* before = known.lookup(&value)) return before;
    Value* result = nullptr;
    if (plan_.inner->contains(instruction)) {
      result = kept(*plan_.last_of(instruction), column);
    } else if (const auto moved = moved_.find(&value); moved != moved_.end()) {
      result = moved_by(moved->second.start, moved->second.step, builder_.CreateAdd(begin_, column));
    } else if (auto* variable = dyn_cast<PHINode>(instruction)) {
      result =
          compute(*variable->getIncomingValueForBlock(plan_.before_of(variable->getParent())), column, known);
    } else {
      result = copy(*instruction, column, known);
    }
    known[&value] = result;
    return result;
  }

  Instruction* copy(Instruction& instruction, Value* column, Values& known) {
    SmallVector<Value*> operands;
    for (Use& operand : instruction.operands()) operands.push_back(compute(*operand.get(), column, known));
    Instruction* made = instruction.clone();
    for (unsigned k = 0; k < operands.size(); ++k) made->setOperand(k, operands[k]);
    forget_scopes(*made);
    return builder_.Insert(made);
  }

  /// What they say holds for one iteration of the outer loop, as it was.
  static void forget_scopes(Instruction& instruction) {
    for (const unsigned kind :
         {LLVMContext::MD_alias_scope, LLVMContext::MD_noalias, LLVMContext::MD_access_group})
      instruction.setMetadata(kind, nullptr);
  }

  void copy_body(Value* column, Value* row) {
    Values known;
    BasicBlock* const head = builder_.GetInsertBlock();
    for (BasicBlock* block : plan_.inner->blocks())
      for (Instruction& instruction : *block)
        for (Use& operand : instruction.operands())
          if (Instruction* value = plan_.value_from_outside(operand)) compute(*value, column, known);
    Values first;
    for (PHINode& variable : plan_.inner->getHeader()->phis()) {
      const auto moved = moved_.find(&variable);
      if (moved != moved_.end())
        first[&variable] = moved_by(compute(*moved->second.start, column, known), moved->second.step, row);
    }
    for (std::size_t k = 0; k < plan_.carried.size(); ++k) first[plan_.carried[k]] = kept(k, column);
    SmallVector<BasicBlock*> blocks;
    for (BasicBlock* block : plan_.inner->blocks()) {
      BasicBlock* made = CloneBasicBlock(block, copies_, ".strip", &function_);
      made->moveBefore(end_);
      copies_[block] = made;
      blocks.push_back(made);
    }
    for (const auto& [value, computed] : known) copies_[value] = computed;
    for (const auto& [variable, value] : first) {
      cast<Instruction>(copies_[variable])->eraseFromParent();
      copies_[variable] = value;
    }
    auto* latch = cast<BasicBlock>(copies_[plan_.inner->getLoopLatch()]);
    latch->getTerminator()->eraseFromParent();
    remapInstructionsInBlocks(blocks, copies_);
    for (BasicBlock* block : blocks)
      for (Instruction& instruction : *block) forget_scopes(instruction);
    builder_.SetInsertPoint(head);
    builder_.CreateBr(cast<BasicBlock>(copies_[plan_.inner->getHeader()]));
    builder_.SetInsertPoint(latch);
    for (std::size_t k = 0; k < plan_.carried.size(); ++k) {
      Value* last = plan_.carried[k]->getIncomingValueForBlock(plan_.inner->getLoopLatch());
      keep(k, column, copy_of_value(last));
    }
  }

  bool has_stores_after() const {
    return any_of(plan_.after, [](const BasicBlock* block) {
      return any_of(*block, [](const Instruction& instruction) { return isa<StoreInst>(instruction); });
    });
  }

  void copy_after(Value* column) {
    Values known;
    for (BasicBlock* block : plan_.after)
      for (Instruction& instruction : *block) {
        if (isa<LoadInst>(instruction)) compute(instruction, column, known);
        if (isa<StoreInst>(instruction)) copy(instruction, column, known);
      }
  }

  const StripPlan& plan_;
  Value *outer_last_ = nullptr, *inner_last_ = nullptr, *begin_ = nullptr;
  BasicBlock* before_ = nullptr;  ///< which all nests come through
  DenseMap<Value*, Moved> moved_;
  std::vector<AllocaInst*> kept_;
};

}  // namespace

PreservedAnalyses HostStripPass::run(Module& module, ModuleAnalysisManager& analyses) {
  if (!wants_host_loops(module, "taihu.host.strips")) return PreservedAnalyses::all();
  auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (Function* function : functions_of_kernels(module))
    for (BasicBlock* header : loops_of(*function, functions, false)) {
      const FunctionFacts facts = facts_of(*function, functions);
      std::string problem;
      Loop* loop = copyable_loop(*header, facts, problem);
      if (loop == nullptr || loop->isInnermost()) continue;
      const std::optional<StripPlan> plan = plan_strips(*loop, facts);
      if (!plan) continue;
      const std::string text = "walks columns of" + plan->names;
      const DebugLoc place = loop->getStartLoc();
      if (!plan->refused.empty()) {
        note_host_loop(*loop, text + ": left as it is: " + plan->refused, false);
        continue;
      }
      StripBuilder builder(*plan, facts);
      builder.run();
      functions.invalidate(*function, PreservedAnalyses::none());
      if (!verifyFunction(*function, &errs())) {
        note_host_loop(place, *header,
                       text + ": in strips of " + std::to_string(plan->strip) +
                           " where the run finds that the first cache does not hold a column",
                       true);
        continue;
      }
      // Compilers as they are released do not look at it again, and would make a wrong program.
      builder.take_back();
      if (verifyFunction(*function)) report_fatal_error("strips have broken " + function->getName());
      errs() << "parcc: internal error: strips of " << function->getName()
             << " were broken, so its loops are left as they were\n";
      note_host_loop(place, *header,
                     text + ": left as it is: parcc cannot make strips of it (an internal error)", false);
    }
  return PreservedAnalyses::none();
}

}  // namespace taihu::compiler
