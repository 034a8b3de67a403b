// SPDX-License-Identifier: Apache-2.0
// The blocks of a staged loop:
//
//   preheader: fills the stage; taihu_stage_begin ? first : plain
//   plain -> the loop as it was -> exit
//   tiles:  first = turn: taihu_stage_turn -> copy of the loop, left after the tile -> next: more ? turn :
//   end kept:   first = copy of the loop -> end end: taihu_stage_end -> exit
#include "taihu/compiler/stage_builder.h"

#include <cstddef>

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "taihu/abi/staging.h"
#include "taihu/compiler/loop_copy.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

class Builder : LoopCopy {
 public:
  Builder(const StagePlan& plan, const FunctionFacts& facts)
      : LoopCopy(*plan.root, facts.evolution, "stage"), plan_(plan) {
    if (plan.is_kept)
      find_inner_counters();
    else
      find_counter();
  }

  std::vector<BasicBlock*> run(LoopInfo& loops) {
    SmallVector<BasicBlock*> innermost;
    for (Loop* loop : loops.getLoopsInPreorder())
      if (root_.contains(loop) && loop->isInnermost()) innermost.push_back(loop->getHeader());
    begin_stage();
    copy_blocks();
    if (plan_.is_kept)
      enter_once();
    else
      enter_tiles();
    finish_stage("taihu_stage_end");
    move_accesses();
    std::vector<BasicBlock*> copies;
    for (BasicBlock* block : innermost) copies.push_back(cast<BasicBlock>(copies_[block]));
    return copies;
  }

 private:
  static uint64_t in_stream(size_t number, uint64_t offset) {
    return offsetof(taihu_stage, streams) + number * sizeof(taihu_stream) + offset;
  }

  /// A variable that the end of the loop depends on already and that counts the iterations up or down.
  void find_counter() {
    auto* branch = cast<BranchInst>(latch_->getTerminator());
    auto* compare = dyn_cast<ICmpInst>(branch->getCondition());
    for (PHINode& variable : header_->phis()) {
      Value* next = variable.getIncomingValueForBlock(latch_);
      if (compare == nullptr || !variable.getType()->isIntegerTy(64)) continue;
      if (compare->getOperand(0) != next && compare->getOperand(1) != next) continue;
      const auto* recurrence = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(&variable));
      if (recurrence == nullptr || recurrence->getLoop() != &root_ || !recurrence->isAffine()) continue;
      const auto* step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution_));
      if (step == nullptr || !(step->getAPInt().isOne() || step->getAPInt().isAllOnes())) continue;
      counter_ = &variable;
      counter_step_ = step->getAPInt().getSExtValue();
      return;
    }
  }

  /// Variables of the loops of kept streams that count iterations from 0.
  void find_inner_counters() {
    for (const PlannedStream& stream : plan_.streams) {
      if (stream.loop == nullptr) continue;
      for (PHINode& variable : stream.loop->getHeader()->phis()) {
        if (!variable.getType()->isIntegerTy(64)) continue;
        const auto* recurrence = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(&variable));
        if (recurrence == nullptr || recurrence->getLoop() != stream.loop || !recurrence->isAffine())
          continue;
        if (recurrence->getStart()->isZero() && recurrence->getStepRecurrence(evolution_)->isOne())
          inner_counters_[stream.loop] = &variable;
      }
    }
  }

  Value* iterations_of(const Loop* loop) {
    Type* word = builder_.getInt64Ty();
    const SCEV* count = evolution_.getBackedgeTakenCount(loop);
    const SCEV* wide = evolution_.getNoopOrZeroExtend(count, word);
    return expander_.expandCodeFor(evolution_.getAddExpr(wide, evolution_.getOne(word)), word,
                                   preheader_->getTerminator());
  }

  /// The stage is on the stack, made ready in the preheader.
  void begin_stage() {
    make_stage(in_stream(plan_.streams.size(), 0), "stage");
    Value* iterations = plan_.is_kept ? nullptr : iterations_of(&root_);
    SmallVector<std::pair<Value*, Value*>> streams;
    for (const PlannedStream& stream : plan_.streams) {
      Value* start = expander_.expandCodeFor(stream.start, builder_.getPtrTy(), preheader_->getTerminator());
      Value* count = stream.loop != nullptr ? iterations_of(stream.loop) : nullptr;
      streams.emplace_back(start, count);
    }
    builder_.SetInsertPoint(preheader_->getTerminator());
    builder_.SetCurrentDebugLocation(place_);
    if (iterations == nullptr) iterations = builder_.getInt64(1);
    iterations_ = iterations;
    set(offsetof(taihu_stage, iterations), iterations);
    set(offsetof(taihu_stage, tile), plan_.is_kept ? 1 : plan_.tile);
    set(offsetof(taihu_stage, least), plan_.is_kept ? 0 : plan_.least);
    set(offsetof(taihu_stage, stream_count), plan_.streams.size());
    set(offsetof(taihu_stage, turn), uint64_t{0});
    for (size_t k = 0; k < plan_.streams.size(); ++k) set_stream(k, streams[k].first, streams[k].second);
    call_begin("taihu_stage_begin");
  }

  void set_stream(size_t k, Value* start, Value* count) {
    const PlannedStream& stream = plan_.streams[k];
    const auto set_field = [&](uint64_t offset, auto value) { set(in_stream(k, offset), value); };
    uint64_t flags = 0;
    if (stream.is_staged) flags |= TAIHU_STREAM_STAGED;
    if (stream.reads) flags |= TAIHU_STREAM_READ;
    if (stream.writes) flags |= TAIHU_STREAM_WRITTEN;
    if (stream.is_looked_up) flags |= TAIHU_STREAM_LOOK_UP;
    if (stream.is_perhaps_written) flags |= TAIHU_STREAM_PERHAPS_WRITTEN;
    if (plan_.is_kept || stream.is_whole) flags |= TAIHU_STREAM_KEPT;
    if (stream.is_table) flags |= TAIHU_STREAM_TABLE;
    set_field(offsetof(taihu_stream, memory),
              builder_.CreatePtrAdd(start, builder_.getInt64(static_cast<uint64_t>(stream.low))));
    set_field(offsetof(taihu_stream, step), static_cast<uint64_t>(stream.step));
    set_field(offsetof(taihu_stream, iterations), count != nullptr ? count : builder_.getInt64(1));
    set_field(offsetof(taihu_stream, bytes), static_cast<uint64_t>(stream.high - stream.low));
    set_field(offsetof(taihu_stream, written_offset), static_cast<uint64_t>(stream.written_low - stream.low));
    set_field(offsetof(taihu_stream, written_bytes),
              static_cast<uint64_t>(stream.written_high - stream.written_low));
    Value* object = ConstantPointerNull::get(builder_.getPtrTy());
    if (stream.object_bytes != 0 && !stream.is_table) object = const_cast<Value*>(stream.object);
    set_field(offsetof(taihu_stream, object), object);
    set_field(offsetof(taihu_stream, object_bytes), uint64_t{stream.object_bytes});
    set_field(offsetof(taihu_stream, flags), flags);
    Value* version = ConstantPointerNull::get(builder_.getPtrTy());
    if (stream.version != nullptr) version = stream.version;
    set_field(offsetof(taihu_stream, version), version);
  }

  void copy_blocks() {
    clone_blocks(".near");
    near_header_ = cast<BasicBlock>(copies_[header_]);
    near_latch_ = cast<BasicBlock>(copies_[latch_]);
    first_ = BasicBlock::Create(context_, "staged", &function_, near_header_);
    end_ = BasicBlock::Create(context_, "staged.end", &function_, exit_);
    choose();
  }

  Value* near_of(size_t k) {
    LoadInst* near = builder_.CreateAlignedLoad(
        builder_.getPtrTy(), field(in_stream(k, offsetof(taihu_stream, near_memory))), Align(8), "near");
    near->setMetadata(near_metadata, MDNode::get(context_, {}));
    return near;
  }

  void load_near(Value* counter_begin) {
    near_.resize(plan_.streams.size());
    for (size_t k = 0; k < plan_.streams.size(); ++k) {
      const PlannedStream& stream = plan_.streams[k];
      if (!stream.is_staged) continue;
      near_[k] = near_of(k);
      if (stream.is_table) set_table_ends(k);
      if (counter_begin == nullptr || stream.loop == nullptr) continue;
      // Where it would be when the counter is 0.
      Value* distance = builder_.CreateMul(counter_begin, factor(stream));
      near_[k] = builder_.CreatePtrAdd(near_[k], builder_.CreateNeg(distance));
    }
  }
  /// Where accesses of a table are inside of it, which only their addresses tell.
  void set_table_ends(size_t k) {
    const DataLayout& data = function_.getParent()->getDataLayout();
    uint64_t widest = 1;
    for (const StreamAccess& access : plan_.streams[k].accesses)
      widest = std::max(widest, data.getTypeStoreSize(access.instruction->getType()).getFixedValue());
    const auto load = [&](uint64_t offset) {
      return builder_.CreateAlignedLoad(builder_.getInt64Ty(), field(in_stream(k, offset)), Align(8));
    };
    Value* bytes = load(offsetof(taihu_stream, bytes));
    Value* below = builder_.CreateBinaryIntrinsic(Intrinsic::usub_sat, bytes, builder_.getInt64(widest - 1));
    tables_[k] = {load(offsetof(taihu_stream, memory)), below};
  }
  Value* address_in_table(size_t k, Value* pointer, Value* near) {
    const auto [begin, below] = tables_[k];
    Value* distance = builder_.CreateSub(builder_.CreatePtrToInt(pointer, builder_.getInt64Ty()), begin);
    return builder_.CreateSelect(builder_.CreateICmpULT(distance, below),
                                 builder_.CreatePtrAdd(near, distance), pointer);
  }

  /// Bytes of the stream for one more of the counter.
  Value* factor(const PlannedStream& stream) {
    return builder_.getInt64(static_cast<uint64_t>(stream.step * counter_step_));
  }

  void enter_once() {
    near_header_->replacePhiUsesWith(preheader_, first_);
    builder_.SetInsertPoint(first_);
    load_near(nullptr);
    builder_.CreateBr(near_header_);
    near_latch_->getTerminator()->replaceSuccessorWith(exit_, end_);
  }

  void enter_tiles() {
    BasicBlock* next = BasicBlock::Create(context_, "staged.next", &function_, end_);
    Type* word = builder_.getInt64Ty();
    builder_.SetInsertPoint(first_);
    PHINode* done = builder_.CreatePHI(word, 2, "done");
    done->addIncoming(builder_.getInt64(0), preheader_);
    PHINode* near_counter = counter_ != nullptr ? cast<PHINode>(copies_[counter_]) : nullptr;
    Value* begin = nullptr;
    for (PHINode& variable : near_header_->phis()) {
      PHINode* carried = builder_.CreatePHI(variable.getType(), 2, "carried");
      carried->addIncoming(variable.getIncomingValueForBlock(preheader_), preheader_);
      carried->addIncoming(variable.getIncomingValueForBlock(near_latch_), next);
      if (&variable == near_counter) begin = carried;
      const int entry = variable.getBasicBlockIndex(preheader_);
      variable.setIncomingBlock(static_cast<unsigned>(entry), first_);
      variable.setIncomingValue(static_cast<unsigned>(entry), carried);
    }
    Value* count = builder_.CreateCall(runtime("taihu_stage_turn", word), stage_, "count");
    load_near(begin);
    Value* last = count;
    if (begin != nullptr)
      last = counter_step_ > 0 ? builder_.CreateAdd(begin, count) : builder_.CreateSub(begin, count);
    builder_.CreateBr(near_header_);
    auto* branch = cast<BranchInst>(near_latch_->getTerminator());
    builder_.SetInsertPoint(branch);
    builder_.SetCurrentDebugLocation(branch->getDebugLoc() ? branch->getDebugLoc() : place_);
    Value* counted = nullptr;
    if (near_counter != nullptr) {
      counted = near_counter->getIncomingValueForBlock(near_latch_);
      near_counter_ = near_counter;
    } else {
      near_counter_ = PHINode::Create(word, 2, "iteration", near_header_->begin());
      counted = builder_.CreateAdd(near_counter_, builder_.getInt64(1));
      near_counter_->addIncoming(builder_.getInt64(0), first_);
      near_counter_->addIncoming(counted, near_latch_);
      counter_step_ = 1;
    }
    Value* old = branch->isConditional() ? branch->getCondition() : nullptr;
    builder_.CreateCondBr(builder_.CreateICmpEQ(counted, last), next, near_header_);
    branch->eraseFromParent();
    if (old != nullptr) RecursivelyDeleteTriviallyDeadInstructions(old);
    builder_.SetInsertPoint(next);
    builder_.SetCurrentDebugLocation(place_);
    Value* all = builder_.CreateAdd(done, count);
    done->addIncoming(all, next);
    builder_.CreateCondBr(builder_.CreateICmpEQ(all, iterations_), end_, first_);
  }

  /// Kept streams of inner loops count on their own.
  PHINode* counter_of(Loop* loop) {
    if (!plan_.is_kept) return near_counter_;
    PHINode*& known = counters_[loop];
    if (known != nullptr) return known;
    if (PHINode* counter = inner_counters_.lookup(loop)) return known = cast<PHINode>(copies_[counter]);
    auto* header = cast<BasicBlock>(copies_[loop->getHeader()]);
    auto* latch = cast<BasicBlock>(copies_[loop->getLoopLatch()]);
    known = PHINode::Create(builder_.getInt64Ty(), 2, "iteration", header->begin());
    IRBuilder<> at_latch(latch->getTerminator());
    Value* next = at_latch.CreateAdd(known, builder_.getInt64(1));
    for (BasicBlock* before : predecessors(header))
      known->addIncoming(before == latch ? next : builder_.getInt64(0), before);
    return known;
  }

  Value* address_of(const PlannedStream& stream, const StreamAccess& access, Value* near) {
    if (stream.is_whole) return reach(access.pointer, stream.object, near);
    const long step = stream.step * (plan_.is_kept ? 1 : counter_step_);
    PHINode* counter = counter_of(stream.loop);
    Value* address = nullptr;
    if (step > 0) {
      Type* element = ArrayType::get(builder_.getInt8Ty(), static_cast<uint64_t>(step));
      address = builder_.CreateGEP(element, near, counter);
    } else {
      Value* distance = builder_.CreateMul(counter, builder_.getInt64(static_cast<uint64_t>(step)));
      address = builder_.CreatePtrAdd(near, distance);
    }
    return builder_.CreatePtrAdd(address,
                                 builder_.getInt64(static_cast<uint64_t>(access.offset - stream.low)));
  }

  void move_accesses() {
    for (size_t k = 0; k < plan_.streams.size(); ++k) {
      if (!plan_.streams[k].is_staged) continue;
      for (const StreamAccess& access : plan_.streams[k].accesses) {
        auto* copy = cast<Instruction>(copies_[access.instruction]);
        builder_.SetInsertPoint(copy);
        builder_.SetCurrentDebugLocation(copy->getDebugLoc());
        Value* address = plan_.streams[k].is_table
                             ? address_in_table(k, copy_of_value(access.pointer), near_[k])
                             : address_of(plan_.streams[k], access, near_[k]);
        redirect(*copy, address);
      }
    }
    delete_dead_variables();
  }

  const StagePlan& plan_;
  PHINode* counter_ = nullptr;
  long counter_step_ = 1;
  PHINode* near_counter_ = nullptr;
  Value* iterations_ = nullptr;
  BasicBlock *near_header_ = nullptr, *near_latch_ = nullptr;
  std::vector<Value*> near_;
  struct TableEnds {
    Value *begin = nullptr, *below = nullptr;  ///< an access inside begins below that distance
  };
  DenseMap<size_t, TableEnds> tables_;              ///< by number of the stream
  DenseMap<const Loop*, PHINode*> inner_counters_;  ///< of the loop as it was
  DenseMap<Loop*, PHINode*> counters_;              ///< of its copy
};

}  // namespace

std::vector<BasicBlock*> build_stage(const StagePlan& plan, const FunctionFacts& facts) {
  return Builder(plan, facts).run(facts.loops);
}

}  // namespace taihu::compiler
