// SPDX-License-Identifier: Apache-2.0
// The objects of a kernel and of the functions that it calls.
#include <algorithm>

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "taihu/compiler/layout.h"
#include "taihu/compiler/loop_facts.h"
#include "taihu/compiler/operation_kinds.h"
#include "taihu/compiler/readable_name.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

/// Where a pointer comes from, through the arguments of functions that only this file calls.
const Value* origin(const Value* object, unsigned depth = 0) {
  const auto* argument = dyn_cast<Argument>(object);
  if (argument == nullptr || depth > 8 || !argument->getParent()->hasLocalLinkage()) return object;
  const Value* found = nullptr;
  for (const User* user : argument->getParent()->users()) {
    const auto* call = dyn_cast<CallBase>(user);
    if (call == nullptr || call->getCalledFunction() != argument->getParent()) return object;
    const Value* actual =
        origin(getUnderlyingObject(call->getArgOperand(argument->getArgNo()), 32), depth + 1);
    if (found != nullptr && found != actual) return object;
    found = actual;
  }
  return found != nullptr ? found : object;
}

LayoutObject& object_of(KernelLayout& kernel, const Value* value, const DataLayout& layout) {
  if (LayoutObject* known = find_object(kernel, value, layout)) return *known;
  LayoutObject object;
  object.value = value;
  object.name = name_of_object(value, layout);
  if (const auto* variable = dyn_cast<GlobalVariable>(value);
      variable != nullptr && variable->getValueType()->isSized())
    object.bytes = layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
  kernel.objects.push_back(object);
  return kernel.objects.back();
}

bool is_distinct(const Value* value) {
  if (const auto* argument = dyn_cast<Argument>(value)) return argument->hasNoAliasAttr();
  return isa<GlobalVariable>(value);
}

/// A call by the compiler or the programmer that copies or fills memory other than the stack's.
bool copies_memory(const Instruction& instruction) {
  const auto* call = dyn_cast<AnyMemIntrinsic>(&instruction);
  if (call == nullptr) return false;
  if (!isa<AllocaInst>(getUnderlyingObject(call->getRawDest(), 32))) return true;
  const auto* copy = dyn_cast<AnyMemTransferInst>(call);
  return copy != nullptr && !isa<AllocaInst>(getUnderlyingObject(copy->getRawSource(), 32));
}

std::string place_of(const Instruction& instruction) {
  return " at line " + std::to_string(instruction.getDebugLoc() ? instruction.getDebugLoc().getLine() : 0);
}

void add_once(std::vector<std::string>& lines, const std::string& line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

}  // namespace

std::string name_of_object(const Value* value, const DataLayout& layout, unsigned depth) {
  if (value->hasName() && isa<GlobalValue>(value)) return value->getName().str();
  if (const auto* argument = dyn_cast<Argument>(value))
    return "argument " + std::to_string(argument->getArgNo() + 1) + " of " +
           argument->getParent()->getName().str();
  if (const auto* load = dyn_cast<LoadInst>(value); load != nullptr && depth < 4) {
    int64_t offset = 0;
    const Value* base = GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout);
    if (isa<GlobalVariable>(base) || isa<Argument>(base) || isa<LoadInst>(base))
      return "pointer in byte " + std::to_string(offset) + " of " + name_of_object(base, layout, depth + 1);
  }
  const auto* instruction = dyn_cast<Instruction>(value);
  if (instruction != nullptr && instruction->getDebugLoc())
    return "pointer of line " + std::to_string(instruction->getDebugLoc().getLine());
  return "pointer";
}

/// A pointer that is loaded from one place again and again is one object.
LayoutObject* find_object(KernelLayout& layout, const Value* value, const DataLayout& data) {
  value = origin(value);
  const std::string name = isa<LoadInst>(value) ? name_of_object(value, data) : "";
  for (LayoutObject& object : layout.objects)
    if (object.value == value || (object.name == name && name.find(" in byte ") != std::string::npos))
      return &object;
  return nullptr;
}

const LayoutObject* find_object(const KernelLayout& layout, const Value* value, const DataLayout& data) {
  return find_object(const_cast<KernelLayout&>(layout), value, data);
}

KernelLayout layout_of(Function& kernel, FunctionAnalysisManager& analyses) {
  KernelLayout layout;
  layout.name = readable_name(kernel);
  SetVector<Function*> functions;
  functions.insert(&kernel);
  for (unsigned k = 0; k < functions.size(); ++k) {
    Function& function = *functions[k];
    const bool is_called = k != 0;
    for (Instruction& instruction : instructions(function)) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (copies_memory(instruction)) add_once(layout.unseen, name_of_callee(*call) + place_of(instruction));
      if (call == nullptr || !operations_of(instruction).calls || isa<IntrinsicInst>(call)) continue;
      Function* callee = call->getCalledFunction();
      if (callee != nullptr && !callee->isDeclaration())
        functions.insert(callee);
      else if (!call->doesNotAccessMemory())
        add_once(layout.unseen, name_of_callee(*call) + place_of(instruction));
    }
    for (KernelAccess& access : accesses_of(function, analyses.getResult<LoopAnalysis>(function),
                                            analyses.getResult<ScalarEvolutionAnalysis>(function))) {
      access.assumed = access.assumed || is_called;
      access.object = origin(access.object);
      if (isa<AllocaInst>(access.object)) continue;
      object_of(layout, access.object, function.getParent()->getDataLayout()).accesses.push_back(access);
    }
  }
  layout.functions.assign(functions.begin(), functions.end());
  for (LayoutObject& object : layout.objects) {
    const auto writes = [](const LayoutObject& one) {
      return std::any_of(one.accesses.begin(), one.accesses.end(),
                         [](const KernelAccess& access) { return access.writes; });
    };
    for (const LayoutObject& other : layout.objects)
      if (&other != &object && (writes(object) || writes(other)) &&
          !(is_distinct(object.value) && is_distinct(other.value)))
        object.may_overlap = true;
  }
  return layout;
}

}  // namespace taihu::compiler
