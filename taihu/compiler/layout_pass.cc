// SPDX-License-Identifier: Apache-2.0
// parcc --report=layout and --auto-dma: where the objects of kernels should lie, and loops that put them
// there.
#include <cmath>

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "taihu/compiler/box_builder.h"
#include "taihu/compiler/kept_variables.h"
#include "taihu/compiler/kernel_placement.h"
#include "taihu/compiler/known_objects.h"
#include "taihu/compiler/layout_report.h"
#include "taihu/compiler/passes.h"
#include "taihu/compiler/stage_builder.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

cl::opt<std::string> report_form("taihu-layout", cl::Hidden, cl::desc("report the layout: text or json"));
cl::opt<std::string> layout_costs(
    "taihu-layout-costs", cl::Hidden,
    cl::desc("cycles of load,store,near access,transfer,byte,block,byte of a broadcast,meeting"));
cl::opt<uint64_t> layout_capacity("taihu-layout-capacity", cl::Hidden, cl::desc("bytes of the scratchpad"));
cl::opt<bool> auto_dma("taihu-auto-dma", cl::Hidden, cl::desc("move the objects of loops to the scratchpad"));

bool read_costs(LayoutCosts& costs) {
  SmallVector<StringRef> words;
  StringRef(layout_costs).split(words, ',');
  double* const values[] = {&costs.load,
                            &costs.store,
                            &costs.near,
                            &costs.start,
                            &costs.per_byte,
                            &costs.per_block,
                            &costs.broadcast_per_byte,
                            &costs.meeting};
  if (words.size() != std::size(values)) return false;
  for (size_t k = 0; k < words.size(); ++k)
    if (words[k].getAsDouble(*values[k])) return false;
  return true;
}

constexpr const char* remark_name = "taihu-dma";

/// Stages the loops of one function.
class FunctionStager {
 public:
  FunctionStager(Function& function, FunctionAnalysisManager& analyses, std::vector<KernelLayout>& layouts,
                 KeptVariables& variables, const LayoutCosts& costs)
      : function_(function), analyses_(analyses), layouts_(layouts), variables_(variables), costs_(costs) {}

  void run() {
    std::vector<BasicBlock*> headers;
    for (Loop* loop : analyses_.getResult<LoopAnalysis>(function_).getLoopsInPreorder())
      if (loop->isInnermost()) headers.push_back(loop->getHeader());
    const char* const problem = problem_of_function();
    if (problem != nullptr) {
      for (BasicBlock* header : headers) {
        const Loop* loop = analyses_.getResult<LoopAnalysis>(function_).getLoopFor(header);
        decide(*loop, std::string("left as it is: ") + problem);
      }
      return;
    }
    move_boxes();
    // Those in the copies of nests whose objects are kept come after them.
    for (size_t k = 0; k < headers.size(); ++k)
      if (!is_copy_.contains(headers[k])) keep_objects(headers[k], headers);
    for (BasicBlock* header : headers) tile(header);
  }

 private:
  /// Why nothing of the function is moved; null where loops may be.
  const char* problem_of_function() const {
    for (const Attribute::AttrKind kind : {Attribute::SanitizeAddress, Attribute::SanitizeThread,
                                           Attribute::SanitizeMemory, Attribute::SanitizeHWAddress})
      if (function_.hasFnAttribute(kind))
        return "its function is checked by a sanitizer, which does not see transfers";
    // Its writes are counted where the loop as it was ends.
    if (variables_.has_counted_writes(function_))
      return "its function writes a variable whose copies may stay between kernels";
    return nullptr;
  }

  FunctionFacts facts() {
    return {analyses_.getResult<LoopAnalysis>(function_),
            analyses_.getResult<ScalarEvolutionAnalysis>(function_),
            analyses_.getResult<DominatorTreeAnalysis>(function_), analyses_.getResult<AAManager>(function_)};
  }

  void forget() { analyses_.invalidate(function_, PreservedAnalyses::none()); }

  /// The loop in the form that plan_stage wants.
  static void simplify(Loop& loop, const FunctionFacts& facts) {
    simplifyLoop(&loop, &facts.dominators, &facts.loops, &facts.evolution, nullptr, nullptr, false);
    formLCSSARecursively(loop, facts.dominators, &facts.loops, &facts.evolution);
  }

  /// Nests, and loops that step further than streams through two buffers may.
  void move_boxes() {
    if (join_equal_values(function_, analyses_.getResult<DominatorTreeAnalysis>(function_))) forget();
    std::vector<BasicBlock*> headers;
    for (Loop* loop : analyses_.getResult<LoopAnalysis>(function_).getLoopsInPreorder())
      headers.push_back(loop->getHeader());
    for (BasicBlock* header : headers) {
      const FunctionFacts known = facts();
      Loop* loop = known.loops.getLoopFor(header);
      if (loop == nullptr || loop->getHeader() != header) continue;
      if (loop->isInnermost() && !wants_boxes(*loop, known)) continue;
      simplify(*loop, known);
      BoxPlan plan = plan_boxes(*loop, !loop->isInnermost(), known, layouts_);
      std::string problem = plan.refused;
      if (problem.empty() && !takes_most(plan, known))
        problem = !plan.changing.empty()  ? plan.changing
                  : !plan.meeting.empty() ? plan.meeting
                                          : "most of its accesses follow no constant steps of counted loops";
      if (!problem.empty()) {
        if (!loop->isInnermost()) decide(*loop, "not in tiles: " + problem + left_of(plan));
        continue;
      }
      let_copies_stay(plan, known);
      note(plan);
      build_boxes(plan, known, costs_);
      forget();
    }
  }

  /// Whether boxes have most of the accesses that are made often.
  static bool takes_most(const BoxPlan& plan, const FunctionFacts& known) {
    double taken = 0, all = 0;
    SmallPtrSet<const Instruction*, 16> staged;
    for (const PlannedBox& box : plan.boxes)
      if (box.is_staged)
        for (const BoxAccess& access : box.accesses) staged.insert(access.instruction);
    for (BasicBlock* block : plan.root->blocks())
      for (Instruction& instruction : *block) {
        const Value* pointer = getLoadStorePointerOperand(&instruction);
        if (pointer == nullptr || is_near(getUnderlyingObject(pointer, 32))) continue;
        const double times = std::pow(8.0, known.loops.getLoopDepth(block));
        all += times;
        if (staged.contains(&instruction)) taken += times;
      }
    return taken > all / 2;
  }

  void note(const BoxPlan& plan) {
    SmallSetVector<const LayoutObject*, 8> seen;
    std::string text;
    const DataLayout& data = function_.getParent()->getDataLayout();
    for (KernelLayout& layout : layouts_) {
      if (!is_member_of(layout)) continue;
      for (const PlannedBox& box : plan.boxes) {
        LayoutObject* object = box.is_staged ? find_object(layout, box.object, data) : nullptr;
        if (object == nullptr) continue;
        object->is_staged = true;
        object->may_meet = object->may_meet || box.may_meet;
        object->may_stay = object->may_stay || box.version != nullptr;
        if (seen.insert(object) && text.find(" " + object->name + ",") == std::string::npos)
          text += " " + object->name + ",";
      }
    }
    if (!text.empty()) text.pop_back();
    std::string tiles = "in tiles through the scratchpad:";
    if (plan.inner != nullptr && plan.inner->getStartLoc())
      tiles = "in tiles of it and of the loop" + line_of(plan.inner->getStartLoc(), function_) +
              " through the scratchpad:";
    text = tiles + text;
    if (!plan.not_reordered.empty() && !plan.root->isInnermost())
      text += "; of it alone: " + plan.not_reordered;
    decide(*plan.root, text + left_of(plan), true);
  }

  static std::string left_of(const BoxPlan& plan) {
    std::string text;
    for (const std::string& line : plan.left) text += "; " + line;
    return text;
  }

  /// The outermost nest around an innermost loop whose rounds use the same bytes again.
  void keep_objects(BasicBlock* header, std::vector<BasicBlock*>& headers) {
    const FunctionFacts known = facts();
    Loop* loop = known.loops.getLoopFor(header);
    SmallVector<Loop*> around;
    for (Loop* root = loop->getParentLoop(); root != nullptr; root = root->getParentLoop())
      around.push_back(root);
    for (Loop* root : reverse(around)) {
      if (kept_.contains(root->getHeader())) return;
      simplify(*root, known);
      StagePlan plan = plan_stage(*root, true, known, layouts_, costs_);
      if (!plan.refused.empty() || !is_any_staged(plan)) continue;
      let_copies_stay(plan, known);
      note(plan);
      kept_.insert(root->getHeader());
      for (BasicBlock* copy : build_stage(plan, known)) {
        headers.push_back(copy);
        is_copy_.insert(copy);
      }
      forget();
      return;
    }
  }

  void tile(BasicBlock* header) {
    const FunctionFacts known = facts();
    Loop* loop = known.loops.getLoopFor(header);
    if (loop == nullptr || loop->getHeader() != header) return;
    simplify(*loop, known);
    StagePlan plan = plan_stage(*loop, false, known, layouts_, costs_);
    if (plan.refused.empty()) let_copies_stay(plan, known);
    if (!is_copy_.contains(header) || is_any_staged(plan)) note(plan);
    if (!plan.refused.empty() || !is_any_staged(plan)) return;
    build_stage(plan, known);
    forget();
  }

  /// Those of objects that are only read; the run decides which fit as a whole. A part that moves with a loop
  /// around would not be found again, and each look for it is an access of main memory.
  void let_copies_stay(StagePlan& plan, const FunctionFacts& known) {
    const Loop* const outermost = plan.root->getOutermostLoop();
    for (PlannedStream& stream : plan.streams) {
      const bool is_same = outermost == plan.root || stream.is_whole ||
                           known.evolution.isLoopInvariant(stream.start, outermost);
      if (stream.is_staged && stream.reads && !stream.writes && is_same)
        stream.version = variables_.version_of(stream.object);
    }
  }

  /// Of boxes those that are one piece of memory and the same in all tiles.
  void let_copies_stay(BoxPlan& plan, const FunctionFacts& known) {
    const Loop* const outermost = plan.root->getOutermostLoop();
    ScalarEvolution& evolution = known.evolution;
    for (PlannedBox& box : plan.boxes) {
      const bool is_same =
          outermost == plan.root || box.is_whole ||
          (evolution.isLoopInvariant(box.start, outermost) && all_of(box.loops, [&](const BoxLoop& one) {
             return evolution.isLoopInvariant(evolution.getBackedgeTakenCount(one.loop), outermost);
           }));
      if (box.is_staged && box.reads && !box.writes && is_same)
        box.version = variables_.version_of(box.object);
    }
  }

  void note(const StagePlan& plan) {
    std::string text;
    SmallSetVector<const LayoutObject*, 8> staged;
    bool is_moved = true;
    const DataLayout& data = function_.getParent()->getDataLayout();
    for (KernelLayout& layout : layouts_) {
      if (!is_member_of(layout)) continue;
      for (const PlannedStream& stream : plan.streams) {
        LayoutObject* object =
            stream.is_staged && plan.refused.empty() ? find_object(layout, stream.object, data) : nullptr;
        if (object == nullptr) continue;
        object->is_staged = true;
        object->is_table = object->is_table || stream.is_table;
        object->may_meet = object->may_meet || stream.may_meet;
        object->may_stay = object->may_stay || stream.version != nullptr;
        if (staged.insert(object) && text.find(" " + object->name + ",") == std::string::npos)
          text += " " + object->name + ",";
      }
    }
    if (!text.empty()) {
      text.pop_back();
      text = (plan.is_kept ? "kept in the scratchpad:" : "through the scratchpad:") + text;
      if (!plan.is_kept && plan.least > 1) text += ", from " + std::to_string(plan.least) + " iterations on";
    } else {
      is_moved = false;
      text = "left as it is";
      if (!plan.refused.empty()) text += ": " + plan.refused;
    }
    for (const std::string& line : plan.left) text += "; " + line;
    decide(*plan.root, text, is_moved);
  }

  bool is_member_of(const KernelLayout& layout) const { return is_contained(layout.functions, &function_); }

  /// For -Rpass=taihu-dma and -Rpass-missed=taihu-dma; -Rpass-analysis names the accesses.
  void remark(const Loop& loop, const std::string& text, bool is_moved) {
    OptimizationRemarkEmitter emitter(&function_);
    const DebugLoc place = loop.getStartLoc();
    if (is_moved)
      emitter.emit([&] { return OptimizationRemark(remark_name, "Moved", place, loop.getHeader()) << text; });
    else
      emitter.emit(
          [&] { return OptimizationRemarkMissed(remark_name, "Left", place, loop.getHeader()) << text; });
    for (const KernelLayout& layout : layouts_) {
      if (!is_member_of(layout) || !place) continue;
      for (const LayoutObject& object : layout.objects)
        for (const KernelAccess& access : object.accesses)
          if (access.loop_line == place.getLine())
            emitter.emit([&] {
              return OptimizationRemarkAnalysis(remark_name, "Access", place, loop.getHeader())
                     << object.name << ": " << name_of(access.pattern) << (access.writes ? " write" : " read")
                     << ", line " << std::to_string(access.line)
                     << (access.reason.empty() ? "" : ": " + access.reason);
            });
    }
  }

  void decide(const Loop& loop, const std::string& text, bool is_moved = false) {
    remark(loop, text, is_moved);
    LoopDecision decision;
    decision.text = text;
    if (const DebugLoc place = loop.getStartLoc()) {
      decision.file = cast<DILocalScope>(place.getScope())->getFilename().str();
      decision.line = place.getLine();
    }
    for (KernelLayout& layout : layouts_)
      if (is_member_of(layout) && !is_contained(layout.loops, decision)) layout.loops.push_back(decision);
  }

  Function& function_;
  FunctionAnalysisManager& analyses_;
  std::vector<KernelLayout>& layouts_;
  KeptVariables& variables_;
  const LayoutCosts& costs_;
  SmallPtrSet<BasicBlock*, 8> kept_, is_copy_;
};

bool is_made_in_loop(const LayoutObject& object) {
  return any_of(object.accesses, [](const KernelAccess& access) { return access.iterations > 1; });
}

/// Kernels of the module, and functions with loops that kernels of other files may call.
std::vector<KernelLayout> layouts_of(Module& module, FunctionAnalysisManager& analyses,
                                     const LayoutCosts& costs) {
  std::vector<KernelLayout> layouts;
  SetVector<Function*> known;
  for (Function* kernel : kernels_of(module)) {
    layouts.push_back(layout_of(*kernel, false, analyses));
    known.insert(layouts.back().functions.begin(), layouts.back().functions.end());
    find_broadcasts(layouts.back());
  }
  for (Function* function : functions_for_other_files(module, known)) {
    KernelLayout layout = layout_of(*function, true, analyses);
    if (any_of(layout.objects, is_made_in_loop)) layouts.push_back(std::move(layout));
  }
  for (KernelLayout& layout : layouts) choose(layout, costs, layout_capacity);
  return layouts;
}

/// For the report: why copies of staged objects that are only read do not stay.
void note_what_stays(KernelLayout& layout, const KeptVariables& variables) {
  for (LayoutObject& object : layout.objects) {
    const bool is_written = any_of(object.accesses, [](const KernelAccess& access) { return access.writes; });
    if (!object.is_staged || object.may_stay || is_written) continue;
    object.not_kept = variables.why_not(object.value);
    if (object.not_kept.empty()) object.not_kept = "parts that change with an outer loop do not stay";
  }
}

}  // namespace

PreservedAnalyses LayoutPass::run(Module& module, ModuleAnalysisManager& analyses) {
  if ((report_form.empty() && !auto_dma) || module.getNamedMetadata("taihu.staged") != nullptr)
    return PreservedAnalyses::all();
  LayoutCosts costs;
  if (!read_costs(costs)) {
    module.getContext().emitError("-taihu-layout-costs needs eight numbers");
    return PreservedAnalyses::all();
  }
  auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  std::vector<KernelLayout> layouts = layouts_of(module, functions, costs);
  if (auto_dma) {
    module.getOrInsertNamedMetadata("taihu.staged");
    SetVector<Function*> members;
    for (const KernelLayout& layout : layouts)
      members.insert(layout.functions.begin(), layout.functions.end());
    KeptVariables variables(module, layouts);
    for (KernelLayout& layout : layouts) place_for_kernel(layout, variables, functions);
    for (Function* function : members) FunctionStager(*function, functions, layouts, variables, costs).run();
    variables.count_writes(functions);
    tell_objects(module);
    for (KernelLayout& layout : layouts) note_what_stays(layout, variables);
  }
  json::Array kernels;
  for (const KernelLayout& layout : layouts) {
    if (report_form == "json") kernels.push_back(layout_as_json(layout, auto_dma));
    if (report_form == "text") print_layout(layout, layout_capacity, auto_dma);
  }
  if (report_form == "text" && layouts.empty()) print_no_layout(reported_name(module));
  if (report_form == "json")
    outs() << json::Value(json::Object{{"file", reported_name(module)}, {"kernels", std::move(kernels)}})
           << "\n";
  return auto_dma ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace taihu::compiler
