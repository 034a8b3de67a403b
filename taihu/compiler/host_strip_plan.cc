// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/host_strip_plan.h"

#include <cstdlib>

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "taihu/compiler/box_accesses.h"
#include "taihu/compiler/layout.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

constexpr long line_bytes = 64;           // of the caches
constexpr unsigned long long_strip = 64;  // iterations, where all go along rows
constexpr std::size_t most_accessed = 24, most_carried = 4, longest_way = 4;

class StripPlanner {
 public:
  StripPlanner(Loop& root, const FunctionFacts& facts)
      : root_(root),
        facts_(facts),
        layout_(root.getHeader()->getModule()->getDataLayout()),
        finder_(root, facts, layout_) {
    plan_.root = &root;
  }

  std::optional<StripPlan> run() {
    if (!has_form()) return std::nullopt;
    for (BasicBlock* block : inner_->blocks())
      for (Instruction& instruction : *block)
        if (getLoadStorePointerOperand(&instruction) != nullptr) add(instruction);
    if (boxes_.size() > most_accessed || !walks_columns()) return std::nullopt;
    plan_.refused = problem();
    plan_.positive = finder_.positive();
    return plan_;
  }

 private:
  bool has_form() {
    if (root_.getSubLoops().size() != 1) return false;
    inner_ = plan_.inner = root_.getSubLoops().front();
    const BasicBlock* latch = root_.getLoopLatch();
    return inner_->isInnermost() && root_.isLoopSimplifyForm() && inner_->isLoopSimplifyForm() &&
           latch != nullptr && root_.getExitingBlock() == latch && isa<BranchInst>(latch->getTerminator()) &&
           root_.getExitBlock() != nullptr && inner_->getExitBlock() != nullptr &&
           finder_.is_counted(root_) && finder_.is_counted(*inner_) && why_loop_not_copied(root_).empty();
  }

  void add(Instruction& instruction) {
    std::optional<PlannedBox> box = finder_.find(instruction);
    if (!box) {
      others_.push_back(&instruction);
      return;
    }
    box->accesses.front().is_certain = true;
    finder_.join(*box, boxes_);
  }

  static bool is_far(const BoxLoop* moves) { return moves != nullptr && moves->way != TAIHU_BOX_BYTES; }
  static bool goes_along(const BoxLoop* moves) { return moves != nullptr && moves->way == TAIHU_BOX_BYTES; }

  /// More is read and written by columns than by rows, or as much. Where both are, a strip is one line wide,
  /// so that what goes down its columns stays in the caches.
  bool walks_columns() {
    std::size_t columns = 0, rows = 0;
    unsigned widest = 1, bytes = 0;
    for (const PlannedBox& box : boxes_) {
      const BoxLoop *outer = box.moved_by(&root_), *inner = box.moved_by(inner_);
      widest = std::max(widest, box.accesses.front().bytes);
      bytes += box.accesses.front().bytes;
      if (goes_along(inner) && is_far(outer)) ++rows;
      if (!is_far(inner) || !goes_along(outer)) continue;
      ++columns;
      plan_.far_steps.push_back(inner->step);
      const std::string name = name_of_object(box.object, layout_);
      if (plan_.names.find(" " + name + ",") == std::string::npos) plan_.names += " " + name + ",";
    }
    if (columns == 0 || rows > columns) return false;
    plan_.names.pop_back();
    if (rows != 0) plan_.bytes_along_rows = bytes;
    plan_.strip = rows == 0 ? long_strip : static_cast<unsigned long>(std::max(line_bytes / widest, 2L));
    return true;
  }

  std::string problem() {
    if (!find_ways()) return "conditions lead to the loop in it, or from it";
    for (PHINode& variable : root_.getHeader()->phis())
      if (!is_moved(variable, root_)) return "a value goes from iteration to iteration of the outer loop";
    for (PHINode& variable : inner_->getHeader()->phis()) {
      if (is_moved(variable, *inner_)) continue;
      if (!variable.getType()->isIntOrPtrTy() && !variable.getType()->isFloatingPointTy())
        return "a vector goes from iteration to iteration";
      plan_.carried.push_back(&variable);
    }
    if (plan_.carried.size() > most_carried) return "many values go from iteration to iteration";
    if (has_results()) return "values of the loops are used after them";
    std::string text = problem_of_order();
    return text.empty() ? problem_of_ways() : text;
  }

  bool find_ways() {
    for (BasicBlock* block = root_.getHeader();;) {
      plan_.before.push_back(block);
      if (block == inner_->getLoopPreheader()) break;
      const auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      if (branch == nullptr || plan_.before.size() > longest_way) return false;
      bool is_first = true;
      if (branch->isConditional()) {
        if (!root_.isLoopInvariant(branch->getCondition())) return false;
        is_first = facts_.dominators.dominates(branch->getSuccessor(0), inner_->getHeader());
        plan_.guards.emplace_back(branch->getCondition(), is_first);
      }
      block = branch->getSuccessor(is_first ? 0 : 1);
      if (!root_.contains(block) || !facts_.dominators.dominates(block, inner_->getHeader())) return false;
    }
    for (BasicBlock* block = inner_->getExitBlock();; block = block->getSingleSuccessor()) {
      if (block == nullptr || !root_.contains(block) || plan_.after.size() > longest_way) return false;
      plan_.after.push_back(block);
      if (block == root_.getLoopLatch()) break;
    }
    return root_.getNumBlocks() == inner_->getNumBlocks() + plan_.before.size() + plan_.after.size();
  }

  bool is_moved(PHINode& variable, const Loop& loop) {
    if (!facts_.evolution.isSCEVable(variable.getType())) return false;
    const auto* moved = dyn_cast<SCEVAddRecExpr>(facts_.evolution.getSCEV(&variable));
    if (moved == nullptr || moved->getLoop() != &loop || !moved->isAffine()) return false;
    const SCEV* step = moved->getStepRecurrence(facts_.evolution);
    return facts_.evolution.isLoopInvariant(step, &root_) && finder_.is_expandable(step);
  }

  bool has_results() {
    for (const BasicBlock* block : root_.blocks())
      for (const Instruction& instruction : *block)
        for (const User* user : instruction.users()) {
          const auto* use = cast<Instruction>(user);
          if (isa<PHINode>(use) && use->use_empty()) continue;
          if (!root_.contains(use)) return true;
          if (inner_->contains(block) && !inner_->contains(use) && !plan_.last_of(&instruction)) return true;
        }
    return false;
  }

  /// Of iterations of the inner loop that are done in another order.
  std::string problem_of_order() {
    for (const Instruction* other : others_)
      if (isa<StoreInst>(other)) return "only the run knows what it writes" + line_of(*other);
    for (const PlannedBox& box : boxes_) {
      if (!box.writes) continue;
      std::string text = why_not_reordered(box, &root_, inner_);
      if (text.empty()) text = problem_of_rows(box);
      for (const Instruction* other : others_)
        if (text.empty() && may_meet(box, *other))
          text = "the access" + line_of(*other) + " may lie in what it writes";
      for (const PlannedBox& apart : boxes_)
        for (const BoxAccess& access : apart.accesses)
          if (text.empty() && &apart != &box && may_meet(box, *access.instruction))
            text = "the access" + line_of(*access.instruction) + " may lie in what it writes";
      if (!text.empty()) return text;
    }
    return "";
  }

  std::string problem_of_rows(const PlannedBox& box) {
    const BoxLoop *outer = box.moved_by(&root_), *inner = box.moved_by(inner_);
    const long width = box.highest[TAIHU_BOX_BYTES] - box.lowest[TAIHU_BOX_BYTES];
    if (outer == nullptr || inner == nullptr) {
      const BoxLoop& one = outer != nullptr ? *outer : *inner;
      const SCEV* none = facts_.evolution.getZero(one.step->getType());
      if (is_far(&one)) plan_.rows.push_back({one.loop, none, box.pitch[one.way], width});
      return "";
    }
    const bool is_outer = goes_along(outer);
    if (is_outer == goes_along(inner))
      return "both loops step far" + line_of(*box.accesses.front().instruction);
    const int way = (is_outer ? inner : outer)->way;
    plan_.rows.push_back(
        {is_outer ? &root_ : inner_, (is_outer ? outer : inner)->step, box.pitch[way], width});
    return "";
  }

  bool may_meet(const Instruction& one, const Instruction& other) {
    return !facts_.aliases.isNoAlias(anywhere_from(one), anywhere_from(other));
  }
  bool may_meet(const PlannedBox& box, const Instruction& other) {
    return any_of(box.accesses,
                  [&](const BoxAccess& access) { return may_meet(*access.instruction, other); });
  }

  /// Of what stands before and after the inner loop: it is computed for a strip before all iterations of the
  /// inner loop, or after them, or again in each of them.
  std::string problem_of_ways() {
    SmallSetVector<Instruction*, 8> stores, own, first;
    for (const std::vector<BasicBlock*>* way : {&plan_.before, &plan_.after})
      for (const BasicBlock* block : *way)
        for (const Instruction& instruction : *block)
          if (instruction.isLifetimeStartOrEnd())  // of memory that the columns of a strip would share
            return "a variable begins or ends in the outer loop" + line_of(instruction);
    for (BasicBlock* block : plan_.before)
      for (Instruction& instruction : *block)
        if (isa<StoreInst>(instruction)) return "it writes before the loop in it" + line_of(instruction);
    for (BasicBlock* block : plan_.after)
      for (Instruction& instruction : *block) {
        if (!isa<StoreInst>(instruction) && !isa<LoadInst>(instruction)) continue;
        if (isa<StoreInst>(instruction)) stores.insert(&instruction);
        for (Use& operand : instruction.operands())
          if (!is_computable(*operand.get(), own)) return unclear(instruction);
      }
    for (BasicBlock* block : inner_->blocks())
      for (Instruction& instruction : *block)
        for (Use& operand : instruction.operands())
          if (Instruction* value = plan_.value_from_outside(operand);
              value != nullptr && !is_computable(*value, own))
            return unclear(instruction);
    for (PHINode& variable : inner_->getHeader()->phis()) {
      auto& loads = is_contained(plan_.carried, &variable) ? first : own;
      if (!is_computable(*variable.getIncomingValueForBlock(inner_->getLoopPreheader()), loads))
        return unclear(variable);
    }
    for (const Instruction* store : stores)
      if (const std::string text = meets_any(*store, own, false); !text.empty()) return text;
    for (const BasicBlock* block : inner_->blocks())
      for (const Instruction& instruction : *block) {
        if (getLoadStorePointerOperand(&instruction) == nullptr) continue;
        std::string text = meets_any(instruction, stores, false);
        if (text.empty() && isa<StoreInst>(instruction)) text = meets_any(instruction, own, false);
        if (text.empty() && isa<StoreInst>(instruction)) text = meets_any(instruction, first, true);
        if (!text.empty()) return text;
      }
    for (const Instruction* store : stores)
      if (const std::string text = meets_any(*store, first, true); !text.empty()) return text;
    return "";
  }

  static std::string unclear(const Instruction& instruction) {
    return "only the run knows a value" + line_of(instruction);
  }

  std::string meets_any(const Instruction& access, const SmallSetVector<Instruction*, 8>& others,
                        bool is_at_begin) {
    for (const Instruction* other : others) {
      // What comes after the inner loop stays in order.
      if (is_contained(plan_.after, access.getParent()) && is_contained(plan_.after, other->getParent()))
        continue;
      if (!may_meet(access, *other) || (is_at_begin && is_of_same_column(access, *other))) continue;
      return "the access" + line_of(*other) + " may be the same as that" + line_of(access);
    }
    return "";
  }

  static const SCEVConstant* step_of(const SCEVAddRecExpr* moved, ScalarEvolution& evolution) {
    const auto* step = dyn_cast<SCEVConstant>(moved->getStepRecurrence(evolution));
    return step != nullptr && step->getAPInt().getSignificantBits() <= 31 ? step : nullptr;
  }

  /// Whether what is read before the inner loop lies in nothing that `store` writes in other iterations of
  /// the outer loop that are of the same strip.
  bool is_of_same_column(const Instruction& store, const Instruction& load) {
    ScalarEvolution& evolution = facts_.evolution;
    const auto bytes_of = [&](const Instruction& access) {
      return static_cast<long>(
          layout_.getTypeStoreSize(getLoadStoreType(const_cast<Instruction*>(&access))).getKnownMinValue());
    };
    const auto address_of = [&](const Instruction& access) {
      return evolution.getSCEV(const_cast<Value*>(getLoadStorePointerOperand(&access)));
    };
    const long bytes = std::max(bytes_of(store), bytes_of(load));
    const auto* from = dyn_cast<SCEVAddRecExpr>(address_of(load));
    if (from == nullptr || from->getLoop() != &root_ || !from->isAffine()) return false;
    const SCEVConstant* along = step_of(from, evolution);
    if (along == nullptr || std::labs(along->getAPInt().getSExtValue()) < bytes) return false;
    const SCEV* to = address_of(store);
    if (to == from) return true;
    const auto* down = dyn_cast<SCEVAddRecExpr>(to);
    if (down == nullptr || down->getLoop() != inner_ || !down->isAffine()) return false;
    const SCEVConstant* row = step_of(down, evolution);
    const auto* distance = dyn_cast<SCEVConstant>(evolution.getMinusSCEV(down->getStart(), from));
    if (row == nullptr || distance == nullptr || distance->getAPInt().getSignificantBits() > 31) return false;
    const long pitch = std::labs(row->getAPInt().getSExtValue());
    const long width = std::labs(along->getAPInt().getSExtValue()) * static_cast<long>(plan_.strip) + bytes;
    return width <= pitch && distance->getAPInt().getSExtValue() % pitch == 0;
  }

  /// In a strip; adds what is loaded for it outside of the inner loop.
  bool is_computable(Value& value, SmallSetVector<Instruction*, 8>& loads, unsigned depth = 0) {
    auto* instruction = dyn_cast<Instruction>(&value);
    if (instruction == nullptr || !root_.contains(instruction)) return true;
    if (depth > 16 || instruction->isTerminator()) return false;
    if (inner_->contains(instruction)) return plan_.last_of(instruction).has_value();
    if (auto* variable = dyn_cast<PHINode>(instruction)) {
      if (variable->getParent() == root_.getHeader()) return true;
      const BasicBlock* before = plan_.before_of(variable->getParent());
      return before != nullptr && variable->getBasicBlockIndex(before) >= 0 &&
             is_computable(*variable->getIncomingValueForBlock(before), loads, depth + 1);
    }
    if (isa<LoadInst>(instruction))
      loads.insert(instruction);
    else if (instruction->mayReadOrWriteMemory() || instruction->mayHaveSideEffects())
      return false;
    return all_of(instruction->operands(),
                  [&](Use& operand) { return is_computable(*operand.get(), loads, depth + 1); });
  }

  StripPlan plan_;
  Loop& root_;
  Loop* inner_ = nullptr;
  const FunctionFacts& facts_;
  const DataLayout& layout_;
  BoxFinder finder_;
  std::vector<PlannedBox> boxes_;
  std::vector<Instruction*> others_;
};

}  // namespace

const BasicBlock* StripPlan::before_of(const BasicBlock* block) const {
  for (std::size_t k = 0; k < after.size(); ++k)
    if (after[k] == block) return k == 0 ? inner->getLoopLatch() : after[k - 1];
  return nullptr;
}

Instruction* StripPlan::value_from_outside(const Use& operand) const {
  auto* value = dyn_cast<Instruction>(operand.get());
  if (value == nullptr || !root->contains(value) || inner->contains(value)) return nullptr;
  const auto* variable = dyn_cast<PHINode>(operand.getUser());
  const bool is_first = variable != nullptr && variable->getParent() == inner->getHeader() &&
                        variable->getIncomingBlock(operand) == inner->getLoopPreheader();
  return is_first ? nullptr : value;
}

std::optional<std::size_t> StripPlan::last_of(const Value* value) const {
  for (std::size_t k = 0; k < carried.size(); ++k)
    if (carried[k]->getIncomingValueForBlock(inner->getLoopLatch()) == value) return k;
  return std::nullopt;
}

std::optional<StripPlan> plan_strips(Loop& root, const FunctionFacts& facts) {
  return StripPlanner(root, facts).run();
}

}  // namespace taihu::compiler
