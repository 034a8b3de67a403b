// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/stage_plan.h"

#include <algorithm>
#include <cmath>

#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "taihu/compiler/loop_facts.h"
#include "taihu/compiler/meeting.h"
#include "taihu/compiler/names.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

/// Accesses further apart are streams of their own.
constexpr long widest_bytes = 2048;
/// For streams of objects that were to be placed as a whole.
constexpr unsigned long usual_half_bytes = 2048;

class Planner {
 public:
  Planner(Loop& root, bool is_kept, const FunctionFacts& facts, const std::vector<KernelLayout>& layouts,
          const LayoutCosts& costs)
      : root_(root),
        facts_(facts),
        layouts_(layouts),
        costs_(costs),
        layout_(root.getHeader()->getModule()->getDataLayout()),
        expander_(facts.evolution, layout_, "stage") {
    plan_.root = &root;
    plan_.is_kept = is_kept;
  }

  StagePlan run() {
    plan_.refused = problem_of_loop();
    if (!plan_.refused.empty()) return plan_;
    for (BasicBlock* block : root_.blocks())
      for (Instruction& instruction : *block) add(instruction);
    for (PlannedStream& stream : plan_.streams) decide(stream);
    check_others();
    leave_what_meets();
    set_tile(plan_, costs_);
    if (plan_.refused.empty() && !is_any_staged(plan_))
      plan_.refused = plan_.left.empty() ? "it accesses no main memory by constant steps" : "";
    return plan_;
  }

 private:
  bool is_counted(Loop& loop) {
    const SCEV* count = facts_.evolution.getBackedgeTakenCount(&loop);
    return loop.getExitingBlock() != nullptr && loop.getExitingBlock() == loop.getLoopLatch() &&
           !isa<SCEVCouldNotCompute>(count) && facts_.evolution.isLoopInvariant(count, &root_) &&
           facts_.evolution.getTypeSizeInBits(count->getType()) <= 64 && is_expandable(count);
  }

  bool is_expandable(const SCEV* value) {
    return expander_.isSafeToExpandAt(value, root_.getLoopPreheader()->getTerminator());
  }

  std::string problem_of_loop() {
    BasicBlock* latch = root_.getLoopLatch();
    if (root_.getLoopPreheader() == nullptr || latch == nullptr || !root_.isLoopSimplifyForm())
      return "it is entered in several ways";
    if (root_.getExitingBlock() != latch || !isa<BranchInst>(latch->getTerminator()))
      return "it may be left early, or the compiler does not know its end";
    if (!plan_.is_kept && !is_counted(root_)) return why_not_counted(root_);
    return why_loop_not_copied(root_);
  }

  void add(Instruction& instruction) {
    Value* pointer = getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr) return;
    const Value* object = getUnderlyingObject(pointer, 32);
    if (isa<LoadInst>(instruction) && is_near(object)) return;
    StreamAccess access;
    access.instruction = &instruction;
    access.pointer = pointer;
    const TypeSize size = layout_.getTypeStoreSize(getLoadStoreType(&instruction));
    const SCEV* address = facts_.evolution.getSCEV(pointer);
    PlannedStream stream;
    stream.object = object;
    if (size.isScalable() || size.getFixedValue() > static_cast<unsigned long>(widest_bytes) ||
        !find_stream(address, stream)) {
      others_.push_back(&instruction);
      return;
    }
    access.bytes = static_cast<unsigned>(size.getFixedValue());
    access.is_certain = is_certain(*instruction.getParent(), stream.loop);
    join(stream, access);
  }

  /// Every iteration of `loop`, and each round of the root, executes `block`.
  bool is_certain(const BasicBlock& block, const Loop* loop) {
    if (loop == nullptr) return false;
    return facts_.dominators.dominates(&block, loop->getLoopLatch()) &&
           facts_.dominators.dominates(loop->getHeader(), root_.getLoopLatch());
  }

  bool find_stream(const SCEV* address, PlannedStream& stream) {
    ScalarEvolution& evolution = facts_.evolution;
    if (evolution.isLoopInvariant(address, &root_)) {
      stream.start = address;
      return is_expandable(address);
    }
    const auto* recurrence = dyn_cast<SCEVAddRecExpr>(address);
    if (recurrence == nullptr || !recurrence->isAffine()) return false;
    auto* loop = const_cast<Loop*>(recurrence->getLoop());
    const auto* step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution));
    if (!root_.contains(loop) || (plan_.is_kept && loop == &root_) || step == nullptr ||
        step->getAPInt().getSignificantBits() > 31 || !is_counted(*loop) ||
        !evolution.isLoopInvariant(recurrence->getStart(), &root_) || !is_expandable(recurrence->getStart()))
      return false;
    stream.loop = loop;
    stream.start = recurrence->getStart();
    stream.step = step->getAPInt().getSExtValue();
    return true;
  }

  void join(PlannedStream& stream, StreamAccess access) {
    PlannedStream* found = nullptr;
    for (PlannedStream& known : plan_.streams) {
      if (known.object != stream.object || known.loop != stream.loop || known.step != stream.step ||
          known.start->getType() != stream.start->getType())
        continue;
      const auto* distance = dyn_cast<SCEVConstant>(facts_.evolution.getMinusSCEV(stream.start, known.start));
      if (distance == nullptr || distance->getAPInt().getSignificantBits() > 31) continue;
      const long offset = distance->getAPInt().getSExtValue();
      const long low = std::min(known.low, offset);
      const long high = std::max(known.high, offset + static_cast<long>(access.bytes));
      if (high - low > widest_bytes) continue;
      access.offset = offset;
      found = &known;
      break;
    }
    if (found == nullptr) {
      plan_.streams.push_back(stream);
      found = &plan_.streams.back();
    }
    found->low = std::min(found->low, access.offset);
    found->high = std::max(found->high, access.offset + static_cast<long>(access.bytes));
    found->reads = found->reads || isa<LoadInst>(access.instruction);
    found->writes = found->writes || isa<StoreInst>(access.instruction);
    found->accesses.push_back(access);
  }

  /// What has got a place in the layout of a kernel that runs the loop.
  const LayoutObject* object_of(const Value* value) {
    const Function* function = root_.getHeader()->getParent();
    for (const KernelLayout& layout : layouts_) {
      if (!is_contained(layout.functions, function)) continue;
      const LayoutObject* object = find_object(layout, value, layout_);
      if (object != nullptr && object->chosen >= 0) return object;
    }
    return nullptr;
  }

  void leave(const PlannedStream& stream, const std::string& reason) {
    const std::string line = name_of_object(stream.object, layout_) + ": " + reason;
    if (std::find(plan_.left.begin(), plan_.left.end(), line) == plan_.left.end()) plan_.left.push_back(line);
  }

  /// Whether the stream may be staged when nothing overlaps it.
  void decide(PlannedStream& stream) {
    if (stream.loop == nullptr || stream.step == 0) return;
    if (is_on_stack(origin_of(stream.object))) return;  // lies in the scratchpad already
    const auto* variable = dyn_cast<GlobalVariable>(stream.object);
    if (variable != nullptr && variable->getSection() == scratchpad_section) return;
    if (is_near(stream.object)) return;
    const Function& function = *root_.getHeader()->getParent();
    if (const std::string shared = why_shared(stream.object, layouts_, function); !shared.empty())
      return leave(stream, shared);
    const LayoutObject* object = object_of(stream.object);
    if (object == nullptr) return leave(stream, "the layout has no place for it");
    if (std::abs(stream.step) > longest_step_bytes)
      return leave(stream, "steps by " + std::to_string(stream.step) + " bytes, more than 64");
    long certain_low = 0, certain_high = 0;
    bool any = false;
    for (const StreamAccess& access : stream.accesses) {
      const long end = access.offset + static_cast<long>(access.bytes);
      if (!access.is_certain) continue;
      certain_low = any ? std::min(certain_low, access.offset) : access.offset;
      certain_high = any ? std::max(certain_high, end) : end;
      any = true;
    }
    if (!any || certain_low > stream.low || certain_high < stream.high) {
      stream.object_bytes = known_bytes(stream.object, layout_);
      stream.is_looked_up = stream.object_bytes == 0;
    }
    if (stream.writes && !set_written(stream)) return;
    if (stream.writes && !may_put_back(stream)) return;
    const std::uint64_t half = object->choices[static_cast<std::size_t>(object->chosen)].half_bytes;
    stream.half_bytes = half != 0 ? half : usual_half_bytes;
    stream.is_staged = true;
    if (stream.is_looked_up && !stream.is_perhaps_written)
      leave(stream, "read under a condition, so moved when the run finds that it lies inside of a variable");
  }

  /// What is put back must be what each iteration writes, or reads: no other thread may write it meanwhile.
  bool set_written(PlannedStream& stream) {
    std::vector<std::pair<long, long>> parts;
    const StreamAccess* guarded = nullptr;
    bool is_first = true;
    for (const StreamAccess& access : stream.accesses) {
      const long end = access.offset + static_cast<long>(access.bytes);
      if (access.is_certain) parts.emplace_back(access.offset, end);
      if (!isa<StoreInst>(access.instruction)) continue;
      if (!access.is_certain) guarded = &access;
      stream.written_low = is_first ? access.offset : std::min(stream.written_low, access.offset);
      stream.written_high = is_first ? end : std::max(stream.written_high, end);
      is_first = false;
    }
    std::sort(parts.begin(), parts.end());
    long low = 0, high = 0;  // of the parts without gaps that what is written begins in
    for (const auto& [begin, end] : parts) {
      if (begin > high && low <= stream.written_low && stream.written_low < high) break;
      if (begin > high || low == high) low = high = begin;
      high = std::max(high, end);
    }
    const long step = std::abs(stream.step);
    if (low <= stream.written_low && stream.written_high <= high && high - low >= step) {
      // As little as leaves no gap between two iterations.
      stream.written_high = std::min(std::max(stream.written_high, stream.written_low + step), high);
      stream.written_low = std::min(stream.written_low, stream.written_high - step);
      return true;
    }
    leave(stream, guarded != nullptr
                      ? "written under a condition" + line_of(*guarded->instruction) +
                            ", where putting it back could undo what another thread writes"
                      : std::string("written with gaps, where putting it back could undo what another thread "
                                    "writes between them"));
    return false;
  }

  /// A loop that may write nothing of the stream may be given memory that cannot be written.
  bool may_put_back(PlannedStream& stream) {
    const StreamAccess* guarded = nullptr;
    for (const StreamAccess& access : stream.accesses) {
      if (!isa<StoreInst>(access.instruction)) continue;
      if (access.is_certain) return true;
      guarded = &access;
    }
    const std::string text = "written under a condition" + line_of(*guarded->instruction);
    const Writable writable = is_writable(stream.object);
    if (writable == Writable::no) leave(stream, text + ", but it is const");
    if (writable != Writable::unknown) return writable == Writable::yes;
    stream.is_looked_up = stream.is_perhaps_written = true;
    leave(stream, text + ", so moved when the run finds that it lies inside of a variable that is not const");
    return true;
  }

  static const Value* object_of_access(const Instruction& instruction) {
    return getUnderlyingObject(getLoadStorePointerOperand(&instruction), 32);
  }

  /// Accesses whose place only the run knows: of a small object that is only read it is fetched as a whole;
  /// else they may concern any stream.
  void check_others() {
    std::vector<Instruction*> rest;
    for (Instruction* instruction : others_)
      if (!isa<LoadInst>(instruction) || !add_whole(object_of_access(*instruction), instruction))
        rest.push_back(instruction);
    // Tables have the places that nothing else needs.
    for (Instruction* instruction : rest)
      if (const Value* value = object_of_access(*instruction);
          isa<LoadInst>(instruction) && is_named_outside(value))
        add_table(value, instruction);
    for (PlannedStream& stream : plan_.streams) {
      if (!stream.is_staged) continue;
      for (const Instruction* other : rest) {
        if (!stream.writes && !isa<StoreInst>(other)) continue;
        const bool is_apart =
            std::all_of(stream.accesses.begin(), stream.accesses.end(), [&](const StreamAccess& access) {
              return facts_.aliases.isNoAlias(anywhere_from(*access.instruction), anywhere_from(*other));
            });
        if (is_apart) continue;
        stream.is_staged = false;
        leave(stream, "may overlap the access" + line_of(*other) + ", whose address only the run knows");
        break;
      }
      if (stream.is_table && stream.is_staged)
        leave(stream,
              "all of it, when the run finds a variable, or a block of m_malloc, that is small enough");
    }
    // Nothing needs the others: their accesses are in `rest`.
    std::erase_if(plan_.streams,
                  [](const PlannedStream& stream) { return stream.is_table && !stream.is_staged; });
  }

  /// Bytes of a stream from its start on, in all iterations; none: the run knows.
  std::optional<PartExtent> extent_of(const PlannedStream& stream) {
    const PartExtent once{stream.low, stream.high};
    return stream.loop == nullptr ? once : after_loop(once, stream.step, *stream.loop, facts_.evolution);
  }

  /// The run moves nothing of a loop in which streams meet and one of them is written: what meets in all runs
  /// is left here.
  void leave_what_meets() {
    for (PlannedStream& written : plan_.streams) {
      if (!written.writes) continue;
      for (PlannedStream& other : plan_.streams) {
        if (&other == &written || other.object != written.object || (!written.is_staged && !other.is_staged))
          continue;
        const Meeting meeting = meeting_of(written.start, extent_of(written), other.start, extent_of(other),
                                           root_, facts_.evolution);
        if (meeting == Meeting::never) continue;
        const std::string line = line_of(*other.accesses.front().instruction);
        if (meeting == Meeting::sometimes) {
          written.may_meet = other.may_meet = true;
          leave(written,
                "moved when the run finds that the access" + line + " lies apart from what is written");
          continue;
        }
        written.is_staged = other.is_staged = false;
        leave(written, "the access" + line + " lies in what is written");
      }
    }
  }

  bool add_whole(const Value* value, Instruction* instruction) {
    const LayoutObject* object = object_of(value);
    const unsigned long bytes = known_bytes(value, layout_);
    Value* pointer = getLoadStorePointerOperand(instruction);
    if (object == nullptr || bytes == 0 || !is_reached(pointer, value)) return false;
    if (object->choices[static_cast<std::size_t>(object->chosen)].half_bytes != 0) return false;
    if (!why_shared(value, layouts_, *instruction->getFunction()).empty()) return false;
    for (PlannedStream& known : plan_.streams) {
      if (known.object != value || !known.is_whole) continue;
      known.accesses.push_back({instruction, pointer, 0, 0, false});
      return true;
    }
    PlannedStream whole;
    whole.object = value;
    whole.start = facts_.evolution.getSCEV(const_cast<Value*>(value));
    whole.high = static_cast<long>(bytes);
    whole.reads = whole.is_whole = whole.is_staged = true;
    whole.accesses.push_back({instruction, pointer, 0, 0, false});
    plan_.streams.push_back(whole);
    return true;
  }

  /// What a pointer names that the loop does not change, or a variable of another file.
  bool is_named_outside(const Value* value) const {
    if (plan_.is_kept || is_on_stack(origin_of(value)) || is_near(value)) return false;
    if (const auto* instruction = dyn_cast<Instruction>(value))
      return (isa<LoadInst>(instruction) || isa<CallBase>(instruction)) && !root_.contains(instruction);
    if (const auto* variable = dyn_cast<GlobalVariable>(value))
      return variable->isDeclaration() && !variable->isThreadLocal() && !variable->hasSection() &&
             !variable->getName().starts_with("taihu_");
    return isa<Argument>(value);
  }

  /// Which object it is, and whether it is small, the run finds; accesses outside of it stay right.
  void add_table(const Value* value, Instruction* instruction) {
    if (costs_.load - costs_.near <= table_cycles) return;
    Value* pointer = getLoadStorePointerOperand(instruction);
    if (layout_.getTypeStoreSize(instruction->getType()).isScalable()) return;
    if (!why_shared(value, layouts_, *instruction->getFunction()).empty()) return;
    for (PlannedStream& known : plan_.streams) {
      if (known.object != value || (!known.is_table && !known.writes)) continue;
      if (known.is_table) known.accesses.push_back({instruction, pointer, 0, 0, false});
      return;
    }
    if (plan_.streams.size() >= most_streams) return;
    PlannedStream table;
    table.object = value;
    table.start = facts_.evolution.getSCEV(const_cast<Value*>(value));
    table.reads = table.is_whole = table.is_table = table.is_staged = true;
    table.accesses.push_back({instruction, pointer, 0, 0, false});
    plan_.streams.push_back(table);
  }

  StagePlan plan_;
  Loop& root_;
  const FunctionFacts& facts_;
  const std::vector<KernelLayout>& layouts_;
  const LayoutCosts& costs_;
  const DataLayout& layout_;
  SCEVExpander expander_;
  std::vector<Instruction*> others_;
};

}  // namespace

StagePlan plan_stage(Loop& root, bool is_kept, const FunctionFacts& facts,
                     const std::vector<KernelLayout>& layouts, const LayoutCosts& costs) {
  return Planner(root, is_kept, facts, layouts, costs).run();
}

}  // namespace taihu::compiler
