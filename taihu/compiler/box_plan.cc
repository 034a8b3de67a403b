// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/box_plan.h"

#include <algorithm>

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "taihu/compiler/meeting.h"
#include "taihu/compiler/names.h"
#include "taihu/compiler/stage_plan.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

constexpr std::size_t most_boxes = 24;

class BoxPlanner {
 public:
  BoxPlanner(Loop& root, const FunctionFacts& facts, const std::vector<KernelLayout>& layouts)
      : root_(root),
        facts_(facts),
        layouts_(layouts),
        layout_(root.getHeader()->getModule()->getDataLayout()),
        finder_(root, facts, layout_) {
    plan_.root = &root;
  }

  BoxPlan run(bool is_nest) {
    plan_.refused = problem_of_loop();
    if (!plan_.refused.empty()) return plan_;
    find_changing_loop(root_);
    for (BasicBlock* block : root_.blocks())
      for (Instruction& instruction : *block)
        if (getLoadStorePointerOperand(&instruction) != nullptr) add(instruction);
    for (PlannedBox& box : plan_.boxes)
      if (!box.is_whole) decide(box);
    check_others();
    leave_what_meets();
    plan_.positive = finder_.positive();
    if (plan_.boxes.size() > most_boxes)
      plan_.refused = "it accesses more than " + std::to_string(most_boxes) + " streams";
    else if (none_staged())
      plan_.refused = !plan_.changing.empty() ? plan_.changing
                      : plan_.left.empty()    ? "it accesses no main memory by constant steps"
                                              : "nothing of it can be moved";
    if (!plan_.refused.empty() || !is_nest) return plan_;
    plan_.not_reordered = plan_.meeting.empty() ? problem_of_order() : plan_.meeting;
    if (plan_.not_reordered.empty()) plan_.inner = inner_;
    return plan_;
  }

 private:
  std::string problem_of_loop() {
    const BasicBlock* latch = root_.getLoopLatch();
    if (root_.getLoopPreheader() == nullptr || latch == nullptr || !root_.isLoopSimplifyForm())
      return "it is entered in several ways";
    if (root_.getExitingBlock() != latch || !isa<BranchInst>(latch->getTerminator()))
      return "it may be left early, or the compiler does not know its end";
    if (!finder_.is_counted(root_)) return why_not_counted(root_);
    return why_loop_not_copied(root_);
  }

  /// Of a triangle, and where an inner loop ends early.
  void find_changing_loop(const Loop& loop) {
    for (const Loop* inner : loop.getSubLoops()) {
      if (!plan_.changing.empty()) return;
      if (finder_.is_counted(*inner)) {
        find_changing_loop(*inner);
        continue;
      }
      plan_.changing = "the number of iterations of the loop in it" +
                       line_of(inner->getStartLoc(), *inner->getHeader()->getParent()) +
                       " is not the same in all rounds, which makes no box";
    }
  }

  void add(Instruction& instruction) {
    if (isa<LoadInst>(instruction) &&
        compiler::is_near(getUnderlyingObject(getLoadStorePointerOperand(&instruction), 32)))
      return;
    std::optional<PlannedBox> box = finder_.find(instruction);
    if (!box) {
      others_.push_back(&instruction);
      return;
    }
    box->accesses.front().is_certain = is_certain(instruction.getParent());
    finder_.join(*box, plan_.boxes);
  }

  /// Every iteration of all loops around it executes `block`; so do loops whose guards hold.
  bool is_certain(const BasicBlock* block) {
    std::vector<std::pair<Value*, bool>> guards;
    for (Loop* loop = facts_.loops.getLoopFor(block);; loop = loop->getParentLoop()) {
      if (loop->getLoopLatch() == nullptr || !is_always_run(block, *loop, guards)) return false;
      if (loop == &root_) break;
      block = loop->getLoopPreheader();
      if (block == nullptr) return false;
    }
    for (const auto& guard : guards)
      if (!is_contained(plan_.guards, guard)) plan_.guards.push_back(guard);
    return true;
  }

  bool is_always_run(const BasicBlock* block, const Loop& loop,
                     std::vector<std::pair<Value*, bool>>& guards) {
    while (!facts_.dominators.dominates(block, loop.getLoopLatch())) {
      // The preheader of an inner loop that is skipped when its length is 0.
      const BasicBlock* before = block->getSinglePredecessor();
      const auto* branch = before != nullptr ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
      const BasicBlock* next = block->getSingleSuccessor();
      if (branch == nullptr || !branch->isConditional() || !loop.contains(before) || next == nullptr ||
          !facts_.loops.isLoopHeader(next) || !root_.isLoopInvariant(branch->getCondition()))
        return false;
      guards.emplace_back(branch->getCondition(), branch->getSuccessor(0) == block);
      block = before;
    }
    return true;
  }

  void leave(const PlannedBox& box, const std::string& reason) {
    const std::string line = name_of_object(box.object, layout_) + ": " + reason;
    if (!is_contained(plan_.left, line)) plan_.left.push_back(line);
  }

  static bool is_in_scratchpad(const Value* object) {
    if (is_on_stack(origin_of(object))) return true;  // lies in the scratchpad already
    const auto* variable = dyn_cast<GlobalVariable>(object);
    if (variable != nullptr && variable->getSection() == scratchpad_section) return true;
    return compiler::is_near(object);
  }

  void decide(PlannedBox& box) {
    if (box.loops.empty() || is_in_scratchpad(box.object)) return;
    const Function& function = *root_.getHeader()->getParent();
    if (const std::string shared = why_shared(box.object, layouts_, function); !shared.empty())
      return leave(box, shared);
    const BoxAccess* guarded = nullptr;
    for (const BoxAccess& access : box.accesses)
      if (guarded == nullptr && !access.is_certain) guarded = &access;
    box.object_bytes = guarded == nullptr ? 0 : known_bytes(box.object, layout_);
    box.is_looked_up = guarded != nullptr && box.object_bytes == 0;
    if (box.writes) {
      const std::string problem = set_written(box, facts_.evolution);
      if (!problem.empty()) return leave(box, problem);
      if (!may_put_back(box)) return;
    }
    box.is_staged = true;
    if (box.is_looked_up && !box.is_perhaps_written)
      leave(box, "accessed under a condition" + line_of(*guarded->instruction) +
                     ", so moved when the run finds that it lies inside of a variable");
  }

  /// A nest that may write nothing of the box may be given memory that cannot be written.
  bool may_put_back(PlannedBox& box) {
    const BoxAccess* guarded = nullptr;
    for (const BoxAccess& access : box.accesses) {
      if (!isa<StoreInst>(access.instruction)) continue;
      if (access.is_certain) return true;
      guarded = &access;
    }
    const std::string text = "written under a condition" + line_of(*guarded->instruction);
    const Writable writable = is_writable(box.object);
    if (writable == Writable::no) leave(box, text + ", but it is const");
    if (writable != Writable::unknown) return writable == Writable::yes;
    box.is_looked_up = box.is_perhaps_written = true;
    leave(box, text + ", so moved when the run finds that it lies inside of a variable that is not const");
    return true;
  }

  void check_others() {
    std::vector<Instruction*> rest;
    for (Instruction* instruction : others_)
      if (!isa<LoadInst>(instruction) || !add_whole(instruction)) rest.push_back(instruction);
    others_ = rest;
    for (PlannedBox& box : plan_.boxes) {
      if (!box.is_staged) continue;
      for (const Instruction* other : others_) {
        if ((!box.writes && !isa<StoreInst>(other)) || is_apart(box, *other)) continue;
        box.is_staged = false;
        leave(box, "may overlap the access" + line_of(*other) + ", whose address only the run knows");
        break;
      }
    }
  }

  /// Bytes of a box from its start on, in all iterations; none: the run knows.
  std::optional<PartExtent> extent_of(const PlannedBox& box) {
    std::optional<PartExtent> extent;
    for (const BoxAccess& access : box.accesses) {
      long low = access.shift[TAIHU_BOX_BYTES];
      for (int way = 0; way < 2; ++way) {
        const auto* pitch = dyn_cast_or_null<SCEVConstant>(box.pitch[way]);
        if (access.shift[way] == 0) continue;
        if (pitch == nullptr) return std::nullopt;
        low += access.shift[way] * pitch->getAPInt().getSExtValue();
      }
      const long high = low + static_cast<long>(access.bytes);
      if (!extent) extent = PartExtent{low, high};
      extent->low = std::min(extent->low, low);
      extent->high = std::max(extent->high, high);
    }
    for (const BoxLoop& one : box.loops) {
      const auto* step = dyn_cast<SCEVConstant>(one.step);
      if (!extent || step == nullptr || step->getAPInt().getSignificantBits() > 31) return std::nullopt;
      extent = after_loop(*extent, step->getAPInt().getSExtValue(), *one.loop, facts_.evolution);
    }
    return extent;
  }

  /// Each row is accessed from begin to end, so that nothing lies beside it.
  bool fills_rows(const PlannedBox& box) {
    const auto* pitch = dyn_cast_or_null<SCEVConstant>(box.pitch[TAIHU_BOX_ROWS]);
    if (pitch == nullptr || box.pitch[TAIHU_BOX_PLANES] != nullptr) return false;
    std::optional<PartExtent> row = PartExtent{box.lowest[TAIHU_BOX_BYTES], box.highest[TAIHU_BOX_BYTES]};
    for (const BoxLoop& one : box.loops)
      if (row && one.way == TAIHU_BOX_BYTES)
        row = after_loop(*row, cast<SCEVConstant>(one.step)->getAPInt().getSExtValue(), *one.loop,
                         facts_.evolution);
    return row && row->high - row->low >= pitch->getAPInt().getSExtValue();
  }

  /// The run leaves boxes of which one is written and lies across another one. Those that do in all runs are
  /// left here.
  void leave_what_meets() {
    for (PlannedBox& written : plan_.boxes) {
      if (!written.writes) continue;
      for (PlannedBox& other : plan_.boxes) {
        if (&other == &written || other.object != written.object) continue;
        Meeting meeting = meeting_of(written.start, extent_of(written), other.start, extent_of(other), root_,
                                     facts_.evolution);
        if (meeting == Meeting::never) continue;
        // The run tells columns of the same rows apart.
        if (!fills_rows(written) && !fills_rows(other)) meeting = Meeting::sometimes;
        const std::string line = line_of(*other.accesses.front().instruction);
        if (meeting == Meeting::always) {
          if (written.is_staged || other.is_staged)
            leave(written, "the access" + line + " lies in what is written");
          written.is_staged = other.is_staged = false;
          plan_.meeting = "the access" + line + " lies in what is written";
        } else if (written.is_staged || other.is_staged) {
          written.may_meet = other.may_meet = true;
          leave(written,
                "moved when the run finds that the access" + line + " lies apart from what is written");
        }
      }
    }
  }

  bool is_apart(const PlannedBox& box, const Instruction& other) {
    return all_of(box.accesses, [&](const BoxAccess& access) {
      return facts_.aliases.isNoAlias(anywhere_from(*access.instruction), anywhere_from(other));
    });
  }

  /// A small object that is only read, at places that the run knows, is fetched as a whole.
  bool add_whole(Instruction* instruction) {
    Value* pointer = getLoadStorePointerOperand(instruction);
    const Value* object = getUnderlyingObject(pointer, 32);
    const unsigned long bytes = known_bytes(object, layout_);
    if (bytes == 0 || is_in_scratchpad(object) || !is_placed(object)) return false;
    if (!why_shared(object, layouts_, *instruction->getFunction()).empty()) return false;
    for (const Value* part = pointer; part != object;) {
      const auto* address = dyn_cast<GEPOperator>(part);
      if (address == nullptr || address->getType()->isVectorTy()) return false;
      part = address->getPointerOperand();
    }
    BoxAccess access;
    access.instruction = instruction;
    for (PlannedBox& known : plan_.boxes) {
      if (known.object != object || !known.is_whole) continue;
      known.accesses.push_back(access);
      return true;
    }
    PlannedBox whole;
    whole.object = object;
    whole.start = facts_.evolution.getSCEV(const_cast<Value*>(object));
    whole.highest[TAIHU_BOX_BYTES] = static_cast<long>(bytes);
    whole.object_bytes = bytes;
    whole.reads = whole.is_whole = whole.is_staged = true;
    whole.accesses.push_back(access);
    plan_.boxes.push_back(whole);
    return true;
  }

  /// As a whole, in the layout of a kernel that runs the loop.
  bool is_placed(const Value* value) {
    for (const KernelLayout& layout : layouts_) {
      if (!is_contained(layout.functions, root_.getHeader()->getParent())) continue;
      const LayoutObject* object = find_object(layout, value, layout_);
      if (object != nullptr && object->chosen >= 0 &&
          object->choices[static_cast<std::size_t>(object->chosen)].half_bytes == 0)
        return true;
    }
    return false;
  }

  bool none_staged() const {
    return none_of(plan_.boxes, [](const PlannedBox& box) { return box.is_staged; });
  }

  /// Why its iterations and those of the loop in it must keep their order.
  std::string problem_of_order() {
    if (root_.getSubLoops().size() != 1) return "there is not one loop in it";
    inner_ = root_.getSubLoops().front();
    if (!inner_->isLoopSimplifyForm() || !finder_.is_counted(*inner_))
      return "the number of iterations of the loop in it changes";
    for (Loop* loop : {&root_, inner_}) {
      for (PHINode& variable : loop->getHeader()->phis()) {
        const auto* recurrence = facts_.evolution.isSCEVable(variable.getType())
                                     ? dyn_cast<SCEVAddRecExpr>(facts_.evolution.getSCEV(&variable))
                                     : nullptr;
        if (recurrence == nullptr || recurrence->getLoop() != loop || !recurrence->isAffine() ||
            !facts_.evolution.isLoopInvariant(recurrence->getStepRecurrence(facts_.evolution), &root_) ||
            !finder_.is_expandable(recurrence->getStepRecurrence(facts_.evolution)))
          return "a value goes from iteration to iteration";
      }
      if (has_results(*loop)) return "values of the loops are used after them";
    }
    for (const BasicBlock* block : root_.blocks()) {
      if (inner_->contains(block)) continue;
      for (const Instruction& instruction : *block)
        if (isa<StoreInst>(instruction)) return "it writes outside of the loop in it" + line_of(instruction);
    }
    for (const Instruction* other : others_) {
      if (isa<StoreInst>(other)) return "only the run knows what it writes" + line_of(*other);
      for (const PlannedBox& box : plan_.boxes)
        if (box.writes && !is_apart(box, *other)) return "only the run knows what it reads" + line_of(*other);
    }
    for (const PlannedBox& box : plan_.boxes) {
      if (!box.writes) continue;
      for (const BoxAccess& access : box.accesses)
        if (!inner_->contains(access.instruction))
          return "it reads outside of the loop in it what that writes" + line_of(*access.instruction);
      std::string problem = why_not_reordered(box, &root_, inner_);
      if (!problem.empty()) return problem;
    }
    return "";
  }

  static bool has_results(const Loop& loop) {
    for (const BasicBlock* block : loop.blocks())
      for (const Instruction& instruction : *block)
        for (const User* user : instruction.users()) {
          const auto* use = cast<Instruction>(user);
          if (loop.contains(use->getParent()) || isa<DbgInfoIntrinsic>(use)) continue;
          if (!isa<PHINode>(use) || !use->use_empty()) return true;
        }
    return false;
  }

  BoxPlan plan_;
  Loop& root_;
  const FunctionFacts& facts_;
  const std::vector<KernelLayout>& layouts_;
  const DataLayout& layout_;
  BoxFinder finder_;
  std::vector<Instruction*> others_;
  Loop* inner_ = nullptr;
};

}  // namespace

BoxPlan plan_boxes(Loop& root, bool is_nest, const FunctionFacts& facts,
                   const std::vector<KernelLayout>& layouts) {
  return BoxPlanner(root, facts, layouts).run(is_nest);
}

bool wants_boxes(Loop& loop, const FunctionFacts& facts) {
  for (BasicBlock* block : loop.blocks())
    for (Instruction& instruction : *block) {
      Value* pointer = getLoadStorePointerOperand(&instruction);
      if (pointer == nullptr) continue;
      const auto* recurrence = dyn_cast<SCEVAddRecExpr>(facts.evolution.getSCEV(pointer));
      if (recurrence == nullptr || recurrence->getLoop() != &loop || !recurrence->isAffine()) continue;
      const auto* step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(facts.evolution));
      if (step == nullptr || step->getAPInt().abs().ugt(static_cast<uint64_t>(longest_step_bytes)))
        return true;
    }
  return false;
}

}  // namespace taihu::compiler
