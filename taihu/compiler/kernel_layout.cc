// SPDX-License-Identifier: Apache-2.0
// The objects of a kernel and of the functions that it calls.
#include <algorithm>

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "taihu/compiler/autonomic_main.h"
#include "taihu/compiler/layout.h"
#include "taihu/compiler/loop_facts.h"
#include "taihu/compiler/operation_kinds.h"
#include "taihu/compiler/readable_name.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

/// Of pointers that are read through pointers: what lies deeper has no name and is no object of before.
constexpr unsigned deepest_load = 4;

/// Whether anything but calls by its name uses `function`.
bool is_address_used(const Function& function) {
  return any_of(function.users(), [&](const User* user) {
    const auto* call = dyn_cast<CallBase>(user);
    return call == nullptr || call->getCalledFunction() != &function;
  });
}

const Value* origin(const Value* object, unsigned depth) {
  const auto* argument = dyn_cast<Argument>(object);
  if (argument == nullptr || depth > 8 || is_on_stack(object) || !argument->getParent()->hasLocalLinkage() ||
      is_address_used(*argument->getParent()))
    return object;
  const Value* found = nullptr;
  for (const User* user : argument->getParent()->users()) {
    const Value* actual = cast<CallBase>(user)->getArgOperand(argument->getArgNo());
    actual = origin(getUnderlyingObject(actual, 32), depth + 1);
    const bool is_stack = found != nullptr && is_on_stack(found) && is_on_stack(actual);
    if (found != nullptr && found != actual && !is_stack) return object;
    found = actual;
  }
  return found != nullptr ? found : object;
}

/// Of a forall of CCC_ARRAY in process code: a function of its own, whose argument leads to what it uses.
bool is_forall_body(const Function& function) {
  return function.getName().starts_with("__captured_stmt");
}

std::string why_size_unknown(const Argument& argument, const KernelLayout& layout) {
  const Function& function = *argument.getParent();
  const std::string name = function.getName().str();
  if (is_forall_body(function)) return "a forall outside of kernels gets them together, as addresses";
  if (&function == layout.functions.front() && !layout.is_for_others && !is_autonomic())
    return "only the run knows what m_run hands over";
  if (!function.hasLocalLinkage())
    return name +
           " may be called from other files, so only the run knows what it gets (static, where this "
           "file alone calls it)";
  if (is_address_used(function))
    return name + " is called through a pointer, so only the run knows what it gets";
  return "callers of " + name + " in this file hand over different objects";
}

std::string why_size_unknown(const Value& value, const KernelLayout& layout) {
  if (const auto* argument = dyn_cast<Argument>(&value)) return why_size_unknown(*argument, layout);
  if (isa<GlobalVariable>(value)) return "it is declared without one, as in x[] (x[100])";
  const auto* instruction = dyn_cast<Instruction>(&value);
  if (instruction == nullptr) return "";
  if (isa<LoadInst>(instruction))
    return "only the run knows where the pointer leads, which is read from memory";
  if (const auto* call = dyn_cast<CallBase>(instruction))
    return "only the run knows what " + name_of_callee(*call) + line_of(*instruction) + " returns";
  return "its pointer may be one of several";
}

PointerPlace read_place_of(const Value* value, const DataLayout& layout) {
  PointerPlace place{value, {}};
  while (const auto* load = dyn_cast<LoadInst>(place.base)) {
    if (place.offsets.size() == deepest_load) break;
    int64_t offset = 0;
    place.base = GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout);
    place.offsets.push_back(offset);
  }
  return place;
}

LayoutObject& object_of(KernelLayout& kernel, const Value* value, const DataLayout& layout) {
  if (LayoutObject* known = find_object(kernel, value, layout)) return *known;
  LayoutObject object;
  object.value = value;
  object.place = read_place_of(value, layout);
  object.live_value = const_cast<Value*>(object.value);
  object.live_base = const_cast<Value*>(object.place.base);
  object.name = name_of_object(value, layout);
  if (const auto* variable = dyn_cast<GlobalVariable>(value);
      variable != nullptr && variable->getValueType()->isSized()) {
    const uint64_t bytes = layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
    if (bytes != 0 || !variable->isDeclaration()) object.bytes = bytes;  // not x[] of another file
  }
  if (const auto* argument = dyn_cast<Argument>(value); argument != nullptr && argument->hasStructRetAttr())
    object.bytes = layout.getTypeAllocSize(argument->getParamStructRetType()).getFixedValue();
  kernel.objects.push_back(object);
  return kernel.objects.back();
}

bool is_distinct(const Value* value) {
  if (const auto* argument = dyn_cast<Argument>(value)) return argument->hasNoAliasAttr();
  return isa<GlobalVariable>(value);
}

bool is_constant(const LayoutObject& object) {
  const auto* variable = dyn_cast<GlobalVariable>(object.value);
  return variable != nullptr && variable->isConstant();
}

/// Whether others than the kernel's functions may write to `address`, of a variable or a part of it:
/// functions of other files that may know where it leads, or one of this file, which those may call.
bool is_written_by_others(const Value& address, const KernelLayout& layout) {
  if (const auto* variable = dyn_cast<GlobalVariable>(&address);
      variable != nullptr && (variable->isConstant() || !variable->hasLocalLinkage()))
    return !variable->isConstant();
  return any_of(address.uses(), [&](const Use& use) {
    const User* user = use.getUser();
    if (isa<LoadInst>(user)) return false;
    if (const auto* store = dyn_cast<StoreInst>(user))
      return use.getOperandNo() != StoreInst::getPointerOperandIndex() ||
             !is_contained(layout.functions, store->getFunction());
    return !isa<GEPOperator>(user) || is_written_by_others(*user, layout);
  });
}

/// A call by the compiler or the programmer that copies or fills memory other than the stack's.
bool copies_memory(const Instruction& instruction) {
  const auto* call = dyn_cast<AnyMemIntrinsic>(&instruction);
  if (call == nullptr) return false;
  const auto is_far = [](const Value* pointer) {
    return !is_on_stack(origin_of(getUnderlyingObject(pointer, 32)));
  };
  const auto* copy = dyn_cast<AnyMemTransferInst>(call);
  return is_far(call->getRawDest()) || (copy != nullptr && is_far(copy->getRawSource()));
}

/// A call of what is not in the file, during which variables may be written: by it, or by other threads or
/// processes with which it communicates.
bool may_let_write(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  if (call == nullptr || isa<IntrinsicInst>(call)) return copies_memory(instruction);
  const Function* callee = call->getCalledFunction();
  if (callee == nullptr) return true;
  const StringRef name = callee->getName();
  const bool is_harmless =
      name == "m_rank" || name == "m_size" || name == "taihu_member" || name == "taihu_forall_failed";
  const OperationCount operations = operations_of(instruction);  // mathematical functions are operations
  return (operations.calls || operations.looks_at_time) && callee->isDeclaration() && !is_harmless &&
         !name.starts_with("taihu_") && !call->onlyReadsMemory();
}

void add_once(std::vector<std::string>& lines, const std::string& line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

}  // namespace

const Value* origin_of(const Value* object) {
  return origin(object, 0);
}

std::string name_of_object(const Value* value, const DataLayout& layout, unsigned depth) {
  if (const auto* global = dyn_cast<GlobalValue>(value); global != nullptr && value->hasName())
    return name_in_source(*global);
  if (const auto* argument = dyn_cast<Argument>(value)) {
    // As in the source: a structure that is returned comes first here.
    const Function& function = *argument->getParent();
    if (argument->hasStructRetAttr()) return "result of " + name_in_source(function);
    if (is_forall_body(function)) return "local variables around the forall";
    const unsigned before = function.hasStructRetAttr() ? 0 : 1;
    return "argument " + std::to_string(argument->getArgNo() + before) + " of " + name_in_source(function);
  }
  if (const auto* load = dyn_cast<LoadInst>(value); load != nullptr && depth < deepest_load) {
    int64_t offset = 0;
    const Value* base = GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, layout);
    if (isa<GlobalVariable>(base) || isa<Argument>(base) || isa<LoadInst>(base))
      return "pointer in byte " + std::to_string(offset) + " of " + name_of_object(base, layout, depth + 1);
  }
  const auto* instruction = dyn_cast<Instruction>(value);
  if (const auto* call = dyn_cast<CallBase>(value); call != nullptr && call->getDebugLoc())
    return "result of " + name_of_callee(*call) + line_of(*call);
  if (instruction != nullptr && instruction->getDebugLoc() && instruction->getDebugLoc().getLine() != 0)
    return "pointer of line " + std::to_string(instruction->getDebugLoc().getLine());
  return "pointer";
}

/// A pointer that is loaded from one place again and again is one object.
LayoutObject* find_object(KernelLayout& layout, const Value* value, const DataLayout& data) {
  value = origin_of(value);
  const PointerPlace place = read_place_of(value, data);
  for (LayoutObject& object : layout.objects)
    if (object.live_value == value || (object.live_base == place.base && object.place == place))
      return &object;
  return nullptr;
}

const LayoutObject* find_object(const KernelLayout& layout, const Value* value, const DataLayout& data) {
  return find_object(const_cast<KernelLayout&>(layout), value, data);
}

std::string why_shared(const Value* value, const std::vector<KernelLayout>& layouts,
                       const Function& function) {
  for (const KernelLayout& layout : layouts) {
    if (!is_contained(layout.functions, &function)) continue;
    const LayoutObject* object = find_object(layout, value, function.getParent()->getDataLayout());
    if (std::string shared = object != nullptr ? why_shared(*object) : ""; !shared.empty()) return shared;
  }
  return "";
}

KernelLayout layout_of(Function& kernel, bool is_for_others, FunctionAnalysisManager& analyses) {
  KernelLayout layout;
  layout.name = readable_name(kernel);
  layout.is_for_others = is_for_others;
  std::string first_call;
  SetVector<Function*> functions;
  functions.insert(&kernel);
  for (unsigned k = 0; k < functions.size(); ++k) {
    Function& function = *functions[k];
    const bool is_called = k != 0;
    for (Instruction& instruction : instructions(function)) {
      const auto* call = dyn_cast<CallBase>(&instruction);
      if (first_call.empty() && may_let_write(instruction))
        first_call = name_of_callee(*call) + line_of(instruction);
      if (copies_memory(instruction)) add_once(layout.unseen, name_of_callee(*call) + line_of(instruction));
      if (call == nullptr || !operations_of(instruction).calls || isa<IntrinsicInst>(call)) continue;
      Function* callee = call->getCalledFunction();
      if (callee != nullptr && !callee->isDeclaration())
        functions.insert(callee);
      else if (!call->doesNotAccessMemory())
        add_once(layout.unseen, name_of_callee(*call) + line_of(instruction));
    }
    for (KernelAccess& access : accesses_of(function, analyses.getResult<LoopAnalysis>(function),
                                            analyses.getResult<ScalarEvolutionAnalysis>(function))) {
      access.is_for_each_call = is_called;
      access.object = origin_of(access.object);
      if (is_on_stack(access.object)) continue;
      object_of(layout, access.object, function.getParent()->getDataLayout()).accesses.push_back(access);
    }
  }
  layout.functions.assign(functions.begin(), functions.end());
  for (LayoutObject& object : layout.objects) {
    if (!object.bytes) object.size_unknown = why_size_unknown(*object.value, layout);
    if (!first_call.empty() && is_written_by_others(*object.value, layout)) object.other_writer = first_call;
    const auto writes = [](const LayoutObject& one) {
      return std::any_of(one.accesses.begin(), one.accesses.end(),
                         [](const KernelAccess& access) { return access.writes; });
    };
    for (const LayoutObject& other : layout.objects)
      if (&other != &object && !is_constant(object) && (writes(object) || writes(other)) &&
          !(is_distinct(object.value) && is_distinct(other.value)))
        object.may_overlap = true;
  }
  return layout;
}

}  // namespace taihu::compiler
