// SPDX-License-Identifier: Apache-2.0
// What the passes of parcc --optimise-for-host have in common.
#include "taihu/compiler/host_loops.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "taihu/compiler/kernel_accesses.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

cl::opt<bool> host_loops("taihu-host-loops", cl::Hidden, cl::desc("change loops of kernels for caches"));
cl::opt<std::string> host_report("taihu-host-report", cl::Hidden, cl::desc("report them: text or json"));
// Asking the run takes some microseconds.
cl::opt<unsigned long> host_least("taihu-host-least", cl::Hidden, cl::init(65536),
                                  cl::desc("iterations from which on the run is asked"));

bool is_sanitized_function(const Function& function) {
  for (const Attribute::AttrKind kind : {Attribute::SanitizeAddress, Attribute::SanitizeThread,
                                         Attribute::SanitizeMemory, Attribute::SanitizeHWAddress})
    if (function.hasFnAttribute(kind)) return true;
  return false;
}

/// Functions with a body that are called by those in `functions`.
void add_callees(SetVector<Function*>& functions) {
  for (unsigned k = 0; k < functions.size(); ++k)
    for (Instruction& instruction : instructions(*functions[k])) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee != nullptr && !callee->isDeclaration()) functions.insert(callee);
    }
}

}  // namespace

bool wants_host_loops(Module& module, const char* done) {
  if (!host_loops || module.getNamedMetadata(done) != nullptr) return false;
  module.getOrInsertNamedMetadata(done);
  return true;
}

std::vector<Function*> functions_of_kernels(Module& module) {
  SetVector<Function*> functions;
  for (Function* kernel : kernels_of(module)) functions.insert(kernel);
  add_callees(functions);
  for (Function* function : functions_for_other_files(module, functions)) functions.insert(function);
  add_callees(functions);
  std::vector<Function*> found;
  for (Function* function : functions)
    if (!is_sanitized_function(*function) && !function->hasOptNone()) found.push_back(function);
  return found;
}

std::vector<BasicBlock*> loops_of(Function& function, FunctionAnalysisManager& analyses,
                                  bool only_innermost) {
  std::vector<BasicBlock*> headers;
  for (Loop* loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (!only_innermost || loop->isInnermost()) headers.push_back(loop->getHeader());
  return headers;
}

FunctionFacts facts_of(Function& function, FunctionAnalysisManager& analyses) {
  return {analyses.getResult<LoopAnalysis>(function), analyses.getResult<ScalarEvolutionAnalysis>(function),
          analyses.getResult<DominatorTreeAnalysis>(function), analyses.getResult<AAManager>(function)};
}

Loop* copyable_loop(BasicBlock& header, const FunctionFacts& facts, std::string& problem) {
  Loop* loop = facts.loops.getLoopFor(&header);
  if (loop == nullptr || loop->getHeader() != &header) return nullptr;
  simplifyLoop(loop, &facts.dominators, &facts.loops, &facts.evolution, nullptr, nullptr, false);
  formLCSSARecursively(*loop, facts.dominators, &facts.loops, &facts.evolution);
  const BasicBlock* latch = loop->getLoopLatch();
  if (loop->getLoopPreheader() == nullptr || latch == nullptr || !loop->isLoopSimplifyForm())
    problem = "it is entered in several ways";
  else if (loop->getExitingBlock() != latch || !isa<BranchInst>(latch->getTerminator()))
    problem = "it may be left early, or the compiler does not know its end";
  else
    problem = why_loop_not_copied(*loop);
  if (!problem.empty()) return nullptr;
  const SCEV* count = facts.evolution.getBackedgeTakenCount(loop);
  SCEVExpander expander(facts.evolution, header.getModule()->getDataLayout(), "host");
  if (isa<SCEVCouldNotCompute>(count) || facts.evolution.getTypeSizeInBits(count->getType()) > 64 ||
      !expander.isSafeToExpandAt(count, loop->getLoopPreheader()->getTerminator()))
    problem = why_not_counted(*loop);
  return problem.empty() ? loop : nullptr;
}

void note_host_loop(const Loop& loop, const std::string& text, bool is_changed) {
  note_host_loop(loop.getStartLoc(), *loop.getHeader(), text, is_changed);
}

void note_host_loop(const DebugLoc& place, const BasicBlock& header, const std::string& text,
                    bool is_changed) {
  constexpr const char* name = "taihu-host";
  OptimizationRemarkEmitter emitter(header.getParent());
  if (is_changed)
    emitter.emit([&] { return OptimizationRemark(name, "Changed", place, &header) << text; });
  else
    emitter.emit([&] { return OptimizationRemarkMissed(name, "Left", place, &header) << text; });
  const std::string file = place ? cast<DILocalScope>(place.getScope())->getFilename().str() : "";
  const unsigned line = place ? place.getLine() : 0;
  if (host_report == "text")
    errs() << "host: loop at " << file << ":" << line << ": " << text << "\n";
  else if (host_report == "json")
    outs() << json::Value(json::Object{
                  {"host_loop", json::Object{{"file", file}, {"line", line}, {"decision", text}}}})
           << "\n";
}

unsigned long least_host_iterations() {
  return host_least;
}

MDNode* rarely(LLVMContext& context) {
  return MDBuilder(context).createBranchWeights(1, 2000);
}

}  // namespace taihu::compiler
