// SPDX-License-Identifier: Apache-2.0
// Stores that pass the caches. A line that is written as a whole need not be read before, and what does not
// fit the caches need not push out what is there. In the copy of a loop whole vectors are stored that way;
// a fence after it keeps them before everything that follows:
//
//   preheader: enough bytes ? ask : plain
//   ask: taihu_stores_pass_caches, and all begin at a vector ? first : plain
//   first -> copy of the loop -> end: fence -> exit
//   plain -> the loop as it was -> exit
#include <algorithm>

#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "taihu/abi/host_loops.h"
#include "taihu/compiler/host_loops.h"
#include "taihu/compiler/layout.h"
#include "taihu/compiler/loop_copy.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

/// Below it nothing can pay, and the run is not asked.
constexpr uint64_t least_stored_bytes = 1UL << 20;

/// An object that a loop writes from begin to end, without gaps.
struct StoredRow {
  const Value* object = nullptr;
  const SCEV* start = nullptr;  ///< of the first of `stores` that was found
  long step = 0;
  std::vector<std::pair<long, StoreInst*>> stores;  ///< distance from `start`
  unsigned vector_bytes = 0;
};

class RowFinder {
 public:
  RowFinder(Loop& loop, const FunctionFacts& facts)
      : loop_(loop), facts_(facts), layout_(loop.getHeader()->getModule()->getDataLayout()) {}

  std::vector<StoredRow> run() {
    if (loop_.getLoopPredecessor() == nullptr || loop_.getLoopLatch() == nullptr) return {};
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block)
        if (auto* store = dyn_cast<StoreInst>(&instruction)) add(*store);
    bool reads = false;
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block)
        if (auto* load = dyn_cast<LoadInst>(&instruction)) reads = true, leave_what_is_read(*load);
    // Nothing else waits for the memory then, and the processor fetches ahead what it will write: passing the
    // caches took a third more time (bench/host_layout).
    if (!reads) return {};
    std::erase_if(rows_, [&](StoredRow& row) { return !is_dense(row) || is_short(row); });
    return rows_;
  }

 private:
  void add(StoreInst& store) {
    const TypeSize size = layout_.getTypeStoreSize(store.getValueOperand()->getType());
    const auto* address = dyn_cast<SCEVAddRecExpr>(facts_.evolution.getSCEV(store.getPointerOperand()));
    const bool is_vector =
        store.getValueOperand()->getType()->isVectorTy() && !size.isScalable() &&
        (size == TypeSize::getFixed(16) || size == TypeSize::getFixed(32) || size == TypeSize::getFixed(64));
    const auto* step = address != nullptr && address->isAffine()
                           ? dyn_cast<SCEVConstant>(address->getStepRecurrence(facts_.evolution))
                           : nullptr;
    SCEVExpander expander(facts_.evolution, layout_, "row");
    if (!is_vector || !store.isSimple() ||
        isa<AllocaInst>(getUnderlyingObject(store.getPointerOperand(), 32)) || step == nullptr ||
        address->getLoop() != &loop_ || step->getAPInt().getSignificantBits() > 31 ||
        !step->getAPInt().isStrictlyPositive() ||
        !facts_.dominators.dominates(store.getParent(), loop_.getLoopLatch()) ||
        !expander.isSafeToExpandAt(address->getStart(), loop_.getLoopPredecessor()->getTerminator()) ||
        is_row_of_nest(*address))
      return;
    const auto bytes = static_cast<unsigned>(size.getFixedValue());
    const long step_bytes = step->getAPInt().getSExtValue();
    const Value* object = getUnderlyingObject(store.getPointerOperand(), 32);
    for (StoredRow& row : rows_) {
      if (row.object != object || row.step != step_bytes || row.vector_bytes != bytes) continue;
      const auto* distance =
          dyn_cast<SCEVConstant>(facts_.evolution.getMinusSCEV(address->getStart(), row.start));
      if (distance == nullptr || distance->getAPInt().getSignificantBits() > 31) continue;
      row.stores.emplace_back(distance->getAPInt().getSExtValue(), &store);
      return;
    }
    rows_.push_back({object, address->getStart(), step_bytes, {{0, &store}}, bytes});
  }

  /// Where the loop around it goes on to another row, a row is not that long, and there are many of them.
  bool is_row_of_nest(const SCEVAddRecExpr& address) const {
    const Loop* around = loop_.getParentLoop();
    return least_host_iterations() != 0 && around != nullptr &&
           !facts_.evolution.isLoopInvariant(address.getStart(), around);
  }

  /// What is read may be in the caches already.
  void leave_what_is_read(const LoadInst& load) {
    const Value* object = getUnderlyingObject(load.getPointerOperand(), 32);
    std::erase_if(rows_, [&](const StoredRow& row) { return row.object == object; });
  }

  /// In all runs less than what the run would be asked for.
  bool is_short(const StoredRow& row) {
    const auto* most = dyn_cast<SCEVConstant>(facts_.evolution.getConstantMaxBackedgeTakenCount(&loop_));
    return least_host_iterations() != 0 && most != nullptr &&
           most->getAPInt().ult(least_stored_bytes / static_cast<uint64_t>(row.step));
  }

  /// Each iteration writes all of its step, one vector after the other.
  static bool is_dense(StoredRow& row) {
    std::ranges::sort(row.stores);
    if (static_cast<long>(row.stores.size() * row.vector_bytes) != row.step) return false;
    for (std::size_t k = 1; k < row.stores.size(); ++k)
      if (row.stores[k].first - row.stores[k - 1].first != static_cast<long>(row.vector_bytes)) return false;
    return true;
  }

  Loop& loop_;
  const FunctionFacts& facts_;
  const DataLayout& layout_;
  std::vector<StoredRow> rows_;
};

class RowBuilder : LoopCopy {
 public:
  RowBuilder(Loop& loop, const std::vector<StoredRow>& rows, const FunctionFacts& facts)
      : LoopCopy(loop, facts.evolution, "row"), rows_(rows) {}

  void run() {
    prepare();
    copy_whole("past.caches");
    BasicBlock* copy = first_;
    first_ = BasicBlock::Create(context_, "ask", &function_, copy);
    choose(rarely(context_));
    ask(*copy);
    for (const StoredRow& row : rows_)
      for (const auto& [_, store] : row.stores) {
        auto* copy = cast<StoreInst>(copies_[store]);
        copy->setMetadata(LLVMContext::MD_nontemporal,
                          MDNode::get(context_, ConstantAsMetadata::get(builder_.getInt32(1))));
        copy->setAlignment(std::max(copy->getAlign(), Align(row.vector_bytes)));
      }
    builder_.SetInsertPoint(end_);
    builder_.SetCurrentDebugLocation(place_);
    builder_.CreateIntrinsic(Intrinsic::x86_sse_sfence, {}, {});
    leave_copy();
  }

 private:
  /// Sets `began_` before the loop.
  void prepare() {
    Type* word = builder_.getInt64Ty();
    Instruction* place = preheader_->getTerminator();
    const SCEV* count = evolution_.getNoopOrZeroExtend(evolution_.getBackedgeTakenCount(&root_), word);
    last_ = expander_.expandCodeFor(count, word, place);
    for (const StoredRow& row : rows_) {
      // Of the lowest store.
      const SCEV* lowest = evolution_.getAddExpr(
          row.start, evolution_.getConstant(word, static_cast<uint64_t>(row.stores.front().first), true));
      starts_.push_back(expander_.expandCodeFor(lowest, builder_.getPtrTy(), place));
      step_ += static_cast<uint64_t>(row.step);
    }
    builder_.SetInsertPoint(place);
    builder_.SetCurrentDebugLocation(place_);
    // The count may be as large as it likes: with the first vector it cannot overflow what is compared.
    const uint64_t least = least_host_iterations() == 0 ? 0 : least_stored_bytes / step_;
    began_ = builder_.CreateICmpUGE(last_, builder_.getInt64(least));
  }

  void ask(BasicBlock& copy) {
    Type* word = builder_.getInt64Ty();
    builder_.SetInsertPoint(first_);
    builder_.SetCurrentDebugLocation(place_);
    Value* address_bits = builder_.getInt64(0);
    for (std::size_t k = 0; k < rows_.size(); ++k)
      address_bits =
          builder_.CreateOr(address_bits, builder_.CreateAnd(builder_.CreatePtrToInt(starts_[k], word),
                                                             builder_.getInt64(rows_[k].vector_bytes - 1)));
    Value* bytes = builder_.CreateMul(last_, builder_.getInt64(step_));
    const FunctionCallee question =
        function_.getParent()->getOrInsertFunction("taihu_stores_pass_caches", builder_.getInt32Ty(), word);
    Value* pays =
        builder_.CreateAnd(builder_.CreateICmpNE(builder_.CreateCall(question, bytes), builder_.getInt32(0)),
                           builder_.CreateICmpEQ(address_bits, builder_.getInt64(0)));
    builder_.CreateCondBr(pays, &copy, plain_);
  }

  Value* last_ = nullptr;  ///< number of the last iteration, from 0
  std::vector<Value*> starts_;
  uint64_t step_ = 0;
  const std::vector<StoredRow>& rows_;
};

}  // namespace

PreservedAnalyses HostStorePass::run(Module& module, ModuleAnalysisManager& analyses) {
  if (!Triple(module.getTargetTriple()).isX86() || !wants_host_loops(module, "taihu.host.stores"))
    return PreservedAnalyses::all();
  auto& functions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (Function* function : functions_of_kernels(module))
    for (BasicBlock* header : loops_of(*function, functions, true)) {
      const FunctionFacts facts = facts_of(*function, functions);
      // Others stay as they are: no pass that simplifies loops comes after this one.
      Loop* known = facts.loops.getLoopFor(header);
      if (known == nullptr || RowFinder(*known, facts).run().empty()) continue;
      std::string problem;
      Loop* loop = copyable_loop(*header, facts, problem);
      if (loop == nullptr) continue;
      const std::vector<StoredRow> rows = RowFinder(*loop, facts).run();
      if (rows.empty()) continue;
      std::string text = "writes";
      for (const StoredRow& row : rows)
        text += " " + name_of_object(row.object, module.getDataLayout()) + ",";
      text.back() = ':';
      note_host_loop(*loop, text + " past the caches where the run finds that it is more than they hold",
                     true);
      RowBuilder(*loop, rows, facts).run();
      functions.invalidate(*function, PreservedAnalyses::none());
    }
  return PreservedAnalyses::none();
}

}  // namespace taihu::compiler
