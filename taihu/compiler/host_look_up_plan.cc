// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/host_look_up_plan.h"

#include <algorithm>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "taihu/compiler/host_loops.h"
#include "taihu/compiler/layout.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

constexpr unsigned most_parts = 24;       ///< instructions of an address
constexpr std::size_t most_look_ups = 4;  ///< of a loop
/// Of shorter iterations without branches the processor has enough on the way at once by itself.
constexpr unsigned least_work = 24;  ///< instructions
/// A variable of less is in the caches once it has been used.
constexpr unsigned long least_table_bytes = 1UL << 20;

/// Finds the look-ups of a loop whose addresses can be computed ahead.
class LookUpFinder {
 public:
  LookUpFinder(Loop& loop, const FunctionFacts& facts)
      : loop_(loop),
        facts_(facts),
        layout_(loop.getHeader()->getModule()->getDataLayout()),
        expander_(facts.evolution, layout_, "look.up") {}

  LookUpPlan run() {
    LookUpPlan plan;
    plan.loop = &loop_;
    if (!has_work()) return plan;
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block) add(instruction, plan.look_ups);
    return plan;
  }

 private:
  /// Branches, choices, of which branches may be made, or many instructions, between a look-up and the next.
  bool has_work() const {
    if (loop_.getNumBlocks() > 1 || least_host_iterations() == 0) return true;
    const BasicBlock& body = *loop_.getHeader();
    return std::distance(body.begin(), body.end()) >= least_work ||
           any_of(body, [](const Instruction& instruction) { return isa<SelectInst>(instruction); });
  }

  void add(Instruction& instruction, std::vector<LookUp>& look_ups) {
    Value* pointer = getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr || look_ups.size() == most_look_ups || !is_certain(instruction) ||
        facts_.evolution.isLoopInvariant(facts_.evolution.getSCEV(pointer), &loop_) ||
        moved_by_loop(pointer, loop_, facts_.evolution) != nullptr)
      return;
    const Value* object = getUnderlyingObject(pointer, 32);
    const unsigned long bytes = known_bytes(object, layout_);
    const bool is_small = bytes != 0 && bytes < least_table_bytes && least_host_iterations() != 0;
    if (isa<AllocaInst>(object) || is_small) return;
    unsigned parts = 0, indices = 0;
    if (!is_computable(*pointer, parts, indices) || indices == 0) return;
    for (LookUp& known : look_ups)
      if (is_beside(*known.pointer, *pointer)) {
        known.is_written = known.is_written || isa<StoreInst>(instruction);
        return;
      }
    look_ups.push_back({pointer, isa<StoreInst>(instruction), name_of_object(object, layout_)});
  }

  bool is_certain(const Instruction& instruction) {
    return facts_.dominators.dominates(instruction.getParent(), loop_.getLoopLatch());
  }

  /// In the same line of the caches, most often.
  bool is_beside(Value& one, Value& other) {
    if (&one == &other) return true;
    const auto* distance = dyn_cast<SCEVConstant>(
        facts_.evolution.getMinusSCEV(facts_.evolution.getSCEV(&one), facts_.evolution.getSCEV(&other)));
    return distance != nullptr && distance->getAPInt().abs().ult(64);
  }

  /// Counts the instructions and the index arrays of an address.
  bool is_computable(Value& value, unsigned& parts, unsigned& indices) {
    auto* instruction = dyn_cast<Instruction>(&value);
    if (instruction == nullptr || !loop_.contains(instruction)) return true;
    if (++parts > most_parts) return false;
    if (const SCEVAddRecExpr* moved = moved_by_loop(&value, loop_, facts_.evolution))
      return is_expandable(*moved);
    if (auto* load = dyn_cast<LoadInst>(instruction)) {
      const SCEVAddRecExpr* moved = moved_by_loop(load->getPointerOperand(), loop_, facts_.evolution);
      indices += 1;
      return load->isSimple() && is_certain(*load) && moved != nullptr && is_expandable(*moved);
    }
    if (!isa<GetElementPtrInst>(instruction) && !isa<BinaryOperator>(instruction) &&
        !isa<ZExtInst>(instruction) && !isa<SExtInst>(instruction) && !isa<TruncInst>(instruction))
      return false;
    if (instruction->isIntDivRem() && !is_divided_by_constant(*instruction)) return false;
    return all_of(instruction->operands(),
                  [&](Use& operand) { return is_computable(*operand.get(), parts, indices); });
  }

  /// Not by 0, and not by -1, of which the smallest number has no quotient.
  static bool is_divided_by_constant(const Instruction& instruction) {
    const auto* divisor = dyn_cast<ConstantInt>(instruction.getOperand(1));
    return divisor != nullptr && !divisor->isZero() && !divisor->isMinusOne();
  }

  bool is_expandable(const SCEVAddRecExpr& moved) {
    const Instruction* place = loop_.getLoopPreheader()->getTerminator();
    return expander_.isSafeToExpandAt(moved.getStart(), place) &&
           expander_.isSafeToExpandAt(moved.getStepRecurrence(facts_.evolution), place);
  }

  Loop& loop_;
  const FunctionFacts& facts_;
  const DataLayout& layout_;
  SCEVExpander expander_;
};

}  // namespace

LookUpPlan plan_look_ups(Loop& loop, const FunctionFacts& facts) {
  return LookUpFinder(loop, facts).run();
}

const SCEVAddRecExpr* moved_by_loop(Value* value, const Loop& loop, ScalarEvolution& evolution) {
  if (!evolution.isSCEVable(value->getType())) return nullptr;
  const auto* recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(value));
  if (recurrence == nullptr || recurrence->getLoop() != &loop || !recurrence->isAffine() ||
      evolution.getTypeSizeInBits(recurrence->getType()) > 64)
    return nullptr;
  return recurrence;
}

}  // namespace taihu::compiler
