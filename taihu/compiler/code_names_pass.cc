// SPDX-License-Identifier: Apache-2.0
// Names to which the object of a file refers, as far as the intermediate code tells at its end. When the
// program is linked they show whether names of the object have been changed since (code_file.h).
#include <algorithm>
#include <string>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "taihu/abi/intermediate_code.h"
#include "taihu/compiler/added_names.h"
#include "taihu/compiler/passes.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

/// A reference that must be there, or one that may be.
void add(std::string& names, bool is_certain, StringRef name) {
  names += (Twine(is_certain ? TAIHU_CODE_NAME_CERTAIN : TAIHU_CODE_NAME_POSSIBLE) + name).str() + '\0';
}

/// "sin" of "llvm.sin.f64" and of "llvm.experimental.constrained.sin.f64".
StringRef base_name(StringRef intrinsic) {
  intrinsic.consume_front("llvm.");
  intrinsic.consume_front("experimental.constrained.");
  const StringRef base = intrinsic.take_until([](char letter) { return letter == '.'; });
  if (base == "maxnum") return "fmax";
  return base == "minnum" ? "fmin" : base;
}

/// Functions of the mathematical library for each type.
void add_mathematical(std::string& names, StringRef base) {
  for (const char* type : {"", "f", "l", "f128"}) add(names, false, (base + type).str());
}

bool has_variable_length(const Function& intrinsic) {
  return any_of(intrinsic.users(), [](const User* user) {
    const auto* call = dyn_cast<MemIntrinsic>(user);
    return call != nullptr && !isa<ConstantInt>(call->getLength());
  });
}

void add_intrinsic(std::string& names, const Function& intrinsic, bool copies_are_calls) {
  const StringRef base = base_name(intrinsic.getName());
  add_mathematical(names, base);
  if (base == "sin" || base == "cos") add_mathematical(names, "sincos");
  if (copies_are_calls && has_variable_length(intrinsic)) add(names, true, base);
}

/// Whether machine code or data follow from the use of a name: none do from lists of names that must be kept
/// and from assumptions. What a function has to handle exceptions it may lose with its last call.
bool is_in_object(const Value& name) {
  SmallPtrSet<const Value*, 16> seen = {&name};
  SmallVector<const Value*> values = {&name};
  while (!values.empty())
    for (const User* user : values.pop_back_val()->users()) {
      const auto* const global = dyn_cast<GlobalValue>(user);
      const auto* const instruction = dyn_cast<Instruction>(user);
      if (global != nullptr && !isa<Function>(global) && !global->getName().starts_with("llvm.")) return true;
      if (instruction != nullptr && !isa<AssumeInst>(instruction) &&
          (instruction->mayHaveSideEffects() || instruction->isTerminator()))
        return true;
      if (global == nullptr && seen.insert(user).second) values.push_back(user);
    }
  return false;
}

bool has_code(const Module& module) {
  return any_of(module.globals(), [](const GlobalVariable& variable) {
    return variable.hasSection() && variable.getSection() == TAIHU_CODE_SECTION;
  });
}

}  // namespace

PreservedAnalyses CodeNamesPass::run(Module& module, ModuleAnalysisManager& analyses) {
  if (!has_code(module)) return PreservedAnalyses::all();
  // Functions that nobody calls any more refer to nothing.
  if (optimised) GlobalDCEPass().run(module, analyses);
  const Triple triple(module.getTargetTriple());
  const TargetLibraryInfoImpl known(triple);
  const TargetLibraryInfo library(known);
  std::string names;
  for (GlobalValue& value : module.global_values()) {
    value.removeDeadConstantUsers();
    if (!value.isDeclaration() || value.use_empty()) continue;
    const auto* function = dyn_cast<Function>(&value);
    if (function != nullptr && function->isIntrinsic()) {
      add_intrinsic(names, *function, triple.isX86());
      continue;
    }
    const StringRef name = GlobalValue::dropLLVMManglingEscape(value.getName());
    LibFunc found;
    // Instructions may take the place of these.
    const bool may_be_code = library.getLibFunc(name, found) && library.hasOptimizedCodeGen(found);
    add(names, !may_be_code && !may_be_added(name.str()) && is_in_object(value), name);
    if (may_be_code && (name.starts_with("sin") || name.starts_with("cos")))
      add_mathematical(names, "sincos");
  }
  for (const Function& function : module)
    for (const char* attribute : {"instrument-function-entry", "instrument-function-entry-inlined",
                                  "instrument-function-exit", "instrument-function-exit-inlined"})
      if (const StringRef called = function.getFnAttribute(attribute).getValueAsString(); !called.empty())
        add(names, false, GlobalValue::dropLLVMManglingEscape(called));
  embedBufferInModule(module, MemoryBufferRef(names, "names"), TAIHU_CODE_NAMES_SECTION);
  return PreservedAnalyses::none();
}

}  // namespace taihu::compiler
