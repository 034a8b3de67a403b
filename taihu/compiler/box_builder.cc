// SPDX-License-Identifier: Apache-2.0
// The blocks of a nest of loops that works on boxes:
//
//   preheader: fills the stage; taihu_box_begin ? first : plain
//   plain -> the loops as they were -> exit
//   first: taihu_box_turn -> copy of the loops, for the tile -> next: more ? first : end
//   end: taihu_box_end -> exit
//
// In the copy a pointer for each box and loop goes along with the loop.
#include "taihu/compiler/box_builder.h"

#include <cstddef>

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "taihu/compiler/loop_copy.h"
#include "taihu/compiler/stage_plan.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

constexpr double assumed_iterations = 8;

class BoxBuilder : LoopCopy {
 public:
  BoxBuilder(const BoxPlan& plan, const FunctionFacts& facts, const LayoutCosts& costs)
      : LoopCopy(*plan.root, facts.evolution, "box"), plan_(plan), facts_(facts), costs_(costs) {}

  void run() {
    for (const Loop* loop : facts_.loops.getLoopsInPreorder())
      if (root_.contains(loop))
        blocks_of_[loop] = {loop->getLoopPreheader(), loop->getHeader(), loop->getLoopLatch()};
    begin_stage();
    copy_blocks();
    enter_tiles();
    if (plan_.inner != nullptr) enter_inner();
    finish_stage("taihu_box_end");
    move_accesses();
  }

 private:
  struct LoopBlocks {
    BasicBlock *preheader, *header, *latch;
  };

  static uint64_t in_box(size_t number, uint64_t offset) {
    return offsetof(taihu_box_stage, boxes) + number * sizeof(taihu_box) + offset;
  }
  using LoopCopy::set;
  void set(uint64_t offset, double value) { set(offset, ConstantFP::get(builder_.getDoubleTy(), value)); }
  Value* word(uint64_t value) { return builder_.getInt64(value); }
  Value* word(long value) { return builder_.getInt64(static_cast<uint64_t>(value)); }
  Value* load_word(uint64_t offset) {
    return builder_.CreateAlignedLoad(builder_.getInt64Ty(), field(offset), Align(8));
  }

  /// A value that is known before the root begins, as 64 bits.
  Value* expand(const SCEV* value) {
    const SCEV* wide = value->getType()->isPointerTy()
                           ? value
                           : evolution_.getTruncateOrSignExtend(value, builder_.getInt64Ty());
    return expander_.expandCodeFor(wide, wide->getType(), preheader_->getTerminator());
  }

  /// Iterations of a counted loop; null of another one.
  Value* iterations_of(const Loop* loop) {
    const SCEV* count = evolution_.getBackedgeTakenCount(loop);
    if (isa<SCEVCouldNotCompute>(count) || !evolution_.isLoopInvariant(count, &root_) ||
        evolution_.getTypeSizeInBits(count->getType()) > 64 ||
        !expander_.isSafeToExpandAt(count, preheader_->getTerminator()))
      return nullptr;
    Value*& known = iterations_[loop];
    if (known != nullptr) return known;
    Type* type = builder_.getInt64Ty();
    const SCEV* wide = evolution_.getNoopOrZeroExtend(count, type);
    return known = expander_.expandCodeFor(evolution_.getAddExpr(wide, evolution_.getOne(type)), type,
                                           preheader_->getTerminator());
  }

  /// The stage is on the stack, made ready in the preheader.
  void begin_stage() {
    make_stage(in_box(plan_.boxes.size(), 0), "boxes");
    builder_.SetInsertPoint(preheader_->getTerminator());
    builder_.SetCurrentDebugLocation(place_);
    if (plan_.inner != nullptr)
      for (Loop* loop : {plan_.root, plan_.inner})
        for (PHINode& variable : loop->getHeader()->phis()) steps_[&variable] = step_of(variable);
    set(offsetof(taihu_box_stage, iterations), iterations_of(&root_));
    set(offsetof(taihu_box_stage, iterations) + 8,
        plan_.inner != nullptr ? iterations_of(plan_.inner) : word(uint64_t{1}));
    Value* allowed = builder_.getTrue();
    for (const auto& [condition, must_be] : plan_.guards)
      allowed = builder_.CreateLogicalAnd(allowed, must_be ? condition : builder_.CreateNot(condition));
    for (const SCEV* step : plan_.positive)
      allowed = builder_.CreateLogicalAnd(allowed, builder_.CreateICmpSGT(expand(step), word(uint64_t{0})));
    // Steps of accesses that are not made may be poison.
    set(offsetof(taihu_box_stage, is_allowed),
        builder_.CreateZExt(builder_.CreateFreeze(allowed), builder_.getInt64Ty()));
    set(offsetof(taihu_box_stage, is_reordered), uint64_t{plan_.inner != nullptr});
    set(offsetof(taihu_box_stage, start), costs_.start);
    set(offsetof(taihu_box_stage, per_byte), costs_.per_byte);
    set(offsetof(taihu_box_stage, per_block), costs_.per_block);
    set(offsetof(taihu_box_stage, box_count), uint64_t{plan_.boxes.size()});
    for (size_t k = 0; k < plan_.boxes.size(); ++k) set_box(k);
    call_begin("taihu_box_begin");
  }

  void set_box(size_t k) {
    const PlannedBox& box = plan_.boxes[k];
    const auto put = [&](uint64_t offset, auto value) { set(in_box(k, offset), value); };
    Value* memory = expand(box.start);
    Value* pitch[2];
    for (int way = 0; way < 2; ++way) {
      pitch[way] = box.pitch[way] != nullptr ? expand(box.pitch[way]) : word(uint64_t{0});
      put(offsetof(taihu_box, pitch) + 8UL * static_cast<unsigned>(way), pitch[way]);
    }
    Value *count[3], *origin[3], *below = word(uint64_t{0}), *above = word(uint64_t{0});
    for (int way = 0; way < 3; ++way) {
      count[way] = word(box.highest[way] - box.lowest[way] + (way < 2 ? 1 : 0));
      origin[way] = word(-box.lowest[way]);
    }
    const Loop* tiled[] = {&root_, plan_.inner};
    for (unsigned loop = 0; loop < 2; ++loop) {
      const BoxLoop* moves = tiled[loop] != nullptr ? box.moved_by(tiled[loop]) : nullptr;
      put(offsetof(taihu_box, step) + 8UL * loop, moves != nullptr ? expand(moves->step) : word(uint64_t{0}));
      put(offsetof(taihu_box, way) + 8UL * loop,
          static_cast<uint64_t>(moves != nullptr ? moves->way : TAIHU_BOX_WAYS));
    }
    Value* written[3];
    for (int way = 0; way < 3; ++way) written[way] = word(way < 2 ? 1L : box.written_high - box.written_low);
    for (const BoxLoop& one : box.loops) {
      Value* more = builder_.CreateSub(iterations_of(one.loop), word(uint64_t{1}));
      Value* distance = builder_.CreateMul(more, expand(one.step));
      (one.is_negative ? below : above) = builder_.CreateAdd(one.is_negative ? below : above, distance);
      if (one.loop == tiled[0] || one.loop == tiled[1]) continue;
      if (one.way == TAIHU_BOX_BYTES) more = one.is_negative ? builder_.CreateNeg(distance) : distance;
      count[one.way] = builder_.CreateAdd(count[one.way], more);
      written[one.way] = builder_.CreateAdd(written[one.way], more);
      if (one.is_negative) origin[one.way] = builder_.CreateAdd(origin[one.way], more);
    }
    const long from[] = {box.written[0] - box.lowest[0], box.written[1] - box.lowest[1],
                         box.written_low - box.lowest[2]};
    for (unsigned way = 0; way < 3; ++way) {
      put(offsetof(taihu_box, count) + 8UL * way, count[way]);
      put(offsetof(taihu_box, origin) + 8UL * way, origin[way]);
      put(offsetof(taihu_box, written_from) + 8UL * way, static_cast<uint64_t>(box.writes ? from[way] : 0));
      put(offsetof(taihu_box, written_count) + 8UL * way, written[way]);
    }
    put(offsetof(taihu_box, memory), memory);
    set_range(k, false, memory, pitch, below, above);
    set_range(k, true, memory, pitch, below, above);
    Value* object = ConstantPointerNull::get(builder_.getPtrTy());
    if (box.object_bytes != 0) object = const_cast<Value*>(box.object);
    put(offsetof(taihu_box, object), object);
    put(offsetof(taihu_box, object_bytes), uint64_t{box.object_bytes});
    put(offsetof(taihu_box, gain), gain_of(box));
    uint64_t flags = 0;
    if (box.is_staged) flags |= TAIHU_BOX_STAGED;
    if (box.reads) flags |= TAIHU_BOX_READ;
    if (box.writes) flags |= TAIHU_BOX_WRITTEN;
    if (box.is_looked_up) flags |= TAIHU_BOX_LOOK_UP;
    if (box.is_perhaps_written) flags |= TAIHU_BOX_PERHAPS_WRITTEN;
    put(offsetof(taihu_box, flags), flags);
    Value* version = ConstantPointerNull::get(builder_.getPtrTy());
    put(offsetof(taihu_box, version), box.version != nullptr ? box.version : version);
  }

  /// Addresses of all accesses, or of those that are certain.
  void set_range(size_t k, bool certain, Value* memory, Value* const* pitch, Value* below, Value* above) {
    const PlannedBox& box = plan_.boxes[k];
    Value *low = nullptr, *high = nullptr;
    const auto least = [&](Intrinsic::ID name, Value* one, Value* other) {
      return one == nullptr ? other : builder_.CreateBinaryIntrinsic(name, one, other);
    };
    for (const BoxAccess& access : box.accesses) {
      if (certain && !access.is_certain) continue;
      Value* distance = word(access.shift[2]);
      for (int way = 0; way < 2; ++way)
        if (access.shift[way] != 0)
          distance = builder_.CreateAdd(distance, builder_.CreateMul(pitch[way], word(access.shift[way])));
      const uint64_t bytes = box.is_whole ? box.object_bytes : access.bytes;
      low = least(Intrinsic::smin, low, distance);
      high = least(Intrinsic::smax, high, builder_.CreateAdd(distance, word(bytes)));
    }
    Value* nothing = ConstantPointerNull::get(builder_.getPtrTy());
    Value* from = low == nullptr ? nothing : builder_.CreatePtrAdd(memory, builder_.CreateAdd(low, below));
    Value* to = high == nullptr ? nothing : builder_.CreatePtrAdd(memory, builder_.CreateAdd(high, above));
    set(in_box(k, certain ? offsetof(taihu_box, certain_low) : offsetof(taihu_box, low)), from);
    set(in_box(k, certain ? offsetof(taihu_box, certain_high) : offsetof(taihu_box, high)), to);
  }

  Value* gain_of(const PlannedBox& box) {
    Type* type = builder_.getDoubleTy();
    Value* sum = ConstantFP::get(type, 0);
    for (const BoxAccess& access : box.accesses) {
      const bool is_store = isa<StoreInst>(access.instruction);
      const double one = (is_store ? costs_.store : costs_.load) - costs_.near;
      Value* cycles = ConstantFP::get(type, access.is_certain || box.is_whole ? one : one / 2);
      for (const Loop* loop = facts_.loops.getLoopFor(access.instruction->getParent());
           loop != nullptr && root_.contains(loop); loop = loop->getParentLoop()) {
        Value* times = iterations_of(loop);
        times =
            times != nullptr ? builder_.CreateUIToFP(times, type) : ConstantFP::get(type, assumed_iterations);
        cycles = builder_.CreateFMul(cycles, times);
      }
      sum = builder_.CreateFAdd(sum, cycles);
    }
    return sum;
  }

  void copy_blocks() {
    clone_blocks(".box");
    first_ = BasicBlock::Create(context_, "tile", &function_, copy_of(header_));
    next_ = BasicBlock::Create(context_, "tile.next", &function_, exit_);
    end_ = BasicBlock::Create(context_, "tile.end", &function_, exit_);
    choose();
  }

  BasicBlock* copy_of(BasicBlock* block) { return cast<BasicBlock>(copies_[block]); }

  /// `start` after `iterations` more of `variable`'s loop, at the builder's place.
  Value* advance(const PHINode& variable, Value* start, Value* step, Value* iterations) {
    Type* type = step->getType();
    Value* distance = builder_.CreateMul(step, builder_.CreateZExtOrTrunc(iterations, type));
    if (variable.getType()->isPointerTy()) return builder_.CreatePtrAdd(start, distance);
    return builder_.CreateAdd(start, distance);
  }
  Value* step_of(PHINode& variable) {
    const auto* recurrence = cast<SCEVAddRecExpr>(evolution_.getSCEV(&variable));
    const SCEV* step = recurrence->getStepRecurrence(evolution_);
    return expander_.expandCodeFor(step, step->getType(), preheader_->getTerminator());
  }

  /// Leaves the copy of a tiled loop for `after` when its part of the tile is done.
  void leave_after(const LoopBlocks& loop, BasicBlock* before, Value* count, BasicBlock* after) {
    BasicBlock *header = copy_of(loop.header), *latch = copy_of(loop.latch);
    PHINode* counter = PHINode::Create(builder_.getInt64Ty(), 2, "iteration", header->begin());
    auto* branch = cast<BranchInst>(latch->getTerminator());
    builder_.SetInsertPoint(branch);
    builder_.SetCurrentDebugLocation(branch->getDebugLoc() ? branch->getDebugLoc() : place_);
    Value* counted = builder_.CreateAdd(counter, word(uint64_t{1}));
    counter->addIncoming(word(uint64_t{0}), before);
    counter->addIncoming(counted, latch);
    Value* old = branch->isConditional() ? branch->getCondition() : nullptr;
    builder_.CreateCondBr(builder_.CreateICmpEQ(counted, count), after, header);
    branch->eraseFromParent();
    if (old != nullptr) RecursivelyDeleteTriviallyDeadInstructions(old);
  }

  void enter_tiles() {
    BasicBlock *header = copy_of(header_), *latch = copy_of(latch_);
    SmallVector<std::pair<PHINode*, Value*>> steps;
    if (plan_.inner != nullptr)
      for (PHINode& variable : header_->phis()) steps.emplace_back(&variable, steps_[&variable]);
    builder_.SetInsertPoint(first_);
    builder_.SetCurrentDebugLocation(place_);
    if (plan_.inner == nullptr) {
      for (PHINode& variable : header->phis()) {
        PHINode* carried = builder_.CreatePHI(variable.getType(), 2, "carried");
        carried->addIncoming(variable.getIncomingValueForBlock(preheader_), preheader_);
        carried->addIncoming(variable.getIncomingValueForBlock(latch), next_);
        const auto entry = static_cast<unsigned>(variable.getBasicBlockIndex(preheader_));
        variable.setIncomingBlock(entry, first_);
        variable.setIncomingValue(entry, carried);
      }
    }
    builder_.CreateCall(runtime("taihu_box_turn", builder_.getVoidTy()), stage_);
    begun_[0] = load_word(offsetof(taihu_box_stage, first));
    begun_[1] = load_word(offsetof(taihu_box_stage, first) + 8);
    count_[0] = load_word(offsetof(taihu_box_stage, count));
    count_[1] = load_word(offsetof(taihu_box_stage, count) + 8);
    for (const auto& [variable, step] : steps) {
      auto* copy = cast<PHINode>(copies_[variable]);
      const auto entry = static_cast<unsigned>(copy->getBasicBlockIndex(preheader_));
      copy->setIncomingValue(entry, advance(*variable, copy->getIncomingValue(entry), step, begun_[0]));
      copy->setIncomingBlock(entry, first_);
    }
    load_near();
    builder_.CreateBr(header);
    leave_after(blocks_of_[&root_], first_, count_[0], next_);
    builder_.SetInsertPoint(next_);
    builder_.SetCurrentDebugLocation(place_);
    Value* more = load_word(offsetof(taihu_box_stage, has_more));
    builder_.CreateCondBr(builder_.CreateICmpNE(more, word(uint64_t{0})), first_, end_);
  }

  /// The second tiled loop runs through its part of the tile.
  void enter_inner() {
    const LoopBlocks& loop = blocks_of_[plan_.inner];
    BasicBlock *before = copy_of(loop.preheader), *latch = copy_of(loop.latch);
    for (PHINode& variable : loop.header->phis()) {
      auto* copy = cast<PHINode>(copies_[&variable]);
      Value* step = steps_[&variable];
      builder_.SetInsertPoint(before->getTerminator());
      builder_.SetCurrentDebugLocation(place_);
      const auto entry = static_cast<unsigned>(copy->getBasicBlockIndex(before));
      copy->setIncomingValue(entry, advance(variable, copy->getIncomingValue(entry), step, begun_[1]));
    }
    const auto* branch = cast<BranchInst>(latch->getTerminator());
    BasicBlock* header = copy_of(loop.header);
    BasicBlock* after = branch->getSuccessor(branch->getSuccessor(0) == header ? 1 : 0);
    leave_after(loop, before, count_[1], after);
  }

  struct Near {
    Value* memory = nullptr;  ///< of offset 0
    Value* pitch[2] = {};
    DenseMap<const Loop*, Value*> pointers;
    std::vector<Value*> shifts;  ///< of the accesses
  };

  /// What the runtime has set for the tile.
  void load_near() {
    near_.resize(plan_.boxes.size());
    for (size_t k = 0; k < plan_.boxes.size(); ++k) {
      const PlannedBox& box = plan_.boxes[k];
      if (!box.is_staged) continue;
      LoadInst* memory = builder_.CreateAlignedLoad(
          builder_.getPtrTy(), field(in_box(k, offsetof(taihu_box, near_memory))), Align(8), "near");
      memory->setMetadata(near_metadata, MDNode::get(context_, {}));
      near_[k].memory = memory;
      for (unsigned way = 0; way < 2; ++way)
        if (box.pitch[way] != nullptr)
          near_[k].pitch[way] = load_word(in_box(k, offsetof(taihu_box, near_pitch) + 8UL * way));
      for (const BoxAccess& access : box.accesses) {
        Value* shift = nullptr;
        for (int way = 0; way < 2; ++way) {
          if (access.shift[way] == 0) continue;
          Value* part = builder_.CreateMul(near_[k].pitch[way], word(access.shift[way]));
          shift = shift == nullptr ? part : builder_.CreateAdd(shift, part);
        }
        near_[k].shifts.push_back(shift);
      }
    }
  }

  /// The pointer that goes along with `loop` and those around it.
  Value* pointer_of(size_t k, const Loop* loop) {
    if (loop == nullptr || !root_.contains(loop)) return near_[k].memory;
    const BoxLoop* moves = plan_.boxes[k].moved_by(loop);
    if (moves == nullptr) return pointer_of(k, loop->getParentLoop());
    if (Value* known = near_[k].pointers.lookup(loop)) return known;
    Value* start = pointer_of(k, loop->getParentLoop());
    const LoopBlocks& blocks = blocks_of_[loop];
    BasicBlock *header = copy_of(blocks.header), *latch = copy_of(blocks.latch);
    PHINode* pointer = PHINode::Create(builder_.getPtrTy(), 2, "along", header->begin());
    IRBuilder<> at_latch(latch->getTerminator());
    at_latch.SetCurrentDebugLocation(latch->getTerminator()->getDebugLoc());
    Value* step = nullptr;
    if (moves->way == TAIHU_BOX_BYTES) {
      step =
          ConstantInt::get(builder_.getInt64Ty(),
                           static_cast<uint64_t>(cast<SCEVConstant>(moves->step)->getAPInt().getSExtValue()));
    } else {
      step = near_[k].pitch[moves->way];
      if (moves->is_negative) {
        IRBuilder<> at_first(first_->getTerminator());
        at_first.SetCurrentDebugLocation(place_);
        step = at_first.CreateNeg(step);
      }
    }
    Value* next = at_latch.CreatePtrAdd(pointer, step);
    for (BasicBlock* before : predecessors(header))
      pointer->addIncoming(before == latch ? next : start, before);
    near_[k].pointers[loop] = pointer;
    return pointer;
  }

  void move_accesses() {
    for (size_t k = 0; k < plan_.boxes.size(); ++k) {
      const PlannedBox& box = plan_.boxes[k];
      if (!box.is_staged) continue;
      for (size_t number = 0; number < box.accesses.size(); ++number) {
        const BoxAccess& access = box.accesses[number];
        auto* copy = cast<Instruction>(copies_[access.instruction]);
        Value* address =
            box.is_whole ? nullptr : pointer_of(k, facts_.loops.getLoopFor(access.instruction->getParent()));
        builder_.SetInsertPoint(copy);
        builder_.SetCurrentDebugLocation(copy->getDebugLoc());
        if (box.is_whole)
          address = reach(getLoadStorePointerOperand(access.instruction), box.object, near_[k].memory);
        if (near_[k].shifts[number] != nullptr)
          address = builder_.CreatePtrAdd(address, near_[k].shifts[number]);
        if (access.shift[2] != 0) address = builder_.CreatePtrAdd(address, word(access.shift[2]));
        // Rows are packed, so they begin anywhere.
        if (auto* load = dyn_cast<LoadInst>(copy))
          load->setAlignment(Align(1));
        else
          cast<StoreInst>(copy)->setAlignment(Align(1));
        redirect(*copy, address);
      }
    }
    delete_dead_variables();
  }

  const BoxPlan& plan_;
  const FunctionFacts& facts_;
  const LayoutCosts& costs_;
  Value* begun_[2] = {};
  Value* count_[2] = {};
  DenseMap<const Loop*, Value*> iterations_;
  DenseMap<const Loop*, LoopBlocks> blocks_of_;
  DenseMap<const PHINode*, Value*> steps_;  ///< of the variables of tiled loops
  BasicBlock* next_ = nullptr;
  std::vector<Near> near_;
};

}  // namespace

void build_boxes(const BoxPlan& plan, const FunctionFacts& facts, const LayoutCosts& costs) {
  BoxBuilder(plan, facts, costs).run();
}

}  // namespace taihu::compiler
