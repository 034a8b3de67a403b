// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/kernel_accesses.h"
#include "taihu/compiler/autonomic_main.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "taihu/compiler/loop_facts.h"
#include "taihu/compiler/names.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

/// The runtime's own words, the stack, and what lies in the scratchpad anyway.
bool is_no_array(const Value* object) {
  if (is_on_stack(object) || object->getName().starts_with("taihu_")) return true;
  const auto* variable = dyn_cast<GlobalVariable>(object);
  return variable != nullptr && variable->getSection() == scratchpad_section;
}

/// What makes an address no linear function of the iterations of `loop`.
std::string reason_of(const SCEV* address, const Loop& loop, ScalarEvolution& evolution) {
  bool is_loaded = false;
  const LoadInst* again = nullptr;  // from the same place in each iteration
  SCEVExprContains(address, [&](const SCEV* part) {
    const auto* unknown = dyn_cast<SCEVUnknown>(part);
    auto* load = unknown != nullptr ? dyn_cast<LoadInst>(unknown->getValue()) : nullptr;
    if (load == nullptr || !loop.contains(load) ||
        isa<AllocaInst>(getUnderlyingObject(load->getPointerOperand())))
      return false;
    is_loaded = true;
    if (evolution.isLoopInvariant(evolution.getSCEV(load->getPointerOperand()), &loop)) again = load;
    return false;
  });
  if (again != nullptr)
    return "its pointer or index is read anew in each iteration, because the loop may write it (copy it to a "
           "local variable before)";
  if (is_loaded) return "its address comes from memory";
  return "its address is no linear function of the loop that the compiler sees";
}

/// Why what is reached by a pointer that may be one of several follows no steps.
std::string reason_of(const Value& pointer, const LoopInfo& loops) {
  const auto* variable = dyn_cast<PHINode>(&pointer);
  const Loop* loop = variable != nullptr ? loops.getLoopFor(variable->getParent()) : nullptr;
  const bool is_list =
      loop != nullptr && loop->getHeader() == variable->getParent() &&
      any_of(variable->incoming_values(), [&](const Use& use) {
        const auto* next = dyn_cast<LoadInst>(getUnderlyingObject(use.get(), 32));
        return next != nullptr && getUnderlyingObject(next->getPointerOperand(), 32) == variable;
      });
  return is_list ? "it lies where the one before led, as in a list (an array of them could be moved)"
                 : "its pointer may be one of several (a loop for each could be moved)";
}

/// Iterations of all loops around `loop`, itself included.
void set_iterations(KernelAccess& access, const Loop* loop, ScalarEvolution& evolution) {
  constexpr unsigned long unknown = 1024, most = 1UL << 40;
  for (; loop != nullptr; loop = loop->getParentLoop()) {
    const auto* count = dyn_cast<SCEVConstant>(evolution.getBackedgeTakenCount(loop));
    const bool is_known = count != nullptr && count->getAPInt().getActiveBits() <= 31;
    access.iterations *= is_known ? count->getAPInt().getZExtValue() + 1 : unknown;
    access.iterations = std::min(access.iterations, most);
    access.assumed = access.assumed || !is_known;
  }
}

/// Sets pattern, step and loop of an access whose address is `address`.
void classify(KernelAccess& access, Value* pointer, Loop* loop, ScalarEvolution& evolution) {
  const SCEV* address = evolution.getSCEV(pointer);
  set_iterations(access, loop, evolution);
  while (loop != nullptr && evolution.isLoopInvariant(address, loop)) loop = loop->getParentLoop();
  if (loop == nullptr) {
    access.pattern = Pattern::single;
    return;
  }
  if (const DebugLoc place = loop->getStartLoc()) {
    access.loop_line = place.getLine();
    access.loop_file = cast<DILocalScope>(place.getScope())->getFilename().str();
  }
  const auto* recurrence = dyn_cast<SCEVAddRecExpr>(address);
  if (recurrence == nullptr || recurrence->getLoop() != loop || !recurrence->isAffine()) {
    access.pattern = Pattern::discrete;
    access.reason = reason_of(address, *loop, evolution);
    return;
  }
  access.pattern = Pattern::interval;
  const auto* step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution));
  if (step == nullptr) return;
  access.step_bytes = step->getAPInt().getSExtValue();
  if (*access.step_bytes == access.bytes || *access.step_bytes == -static_cast<long>(access.bytes))
    access.pattern = Pattern::contiguous;
}

/// The terms of an address that loops move.
void set_footprint(KernelAccess& access, Value* pointer, ScalarEvolution& evolution) {
  const SCEV* address = evolution.getSCEV(pointer);
  while (const auto* recurrence = dyn_cast<SCEVAddRecExpr>(address)) {
    if (!recurrence->isAffine()) break;
    FootprintTerm term;
    const Loop* loop = recurrence->getLoop();
    term.line = loop->getStartLoc() ? loop->getStartLoc().getLine() : 0;
    if (const auto* step = dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(evolution));
        step != nullptr && step->getAPInt().getSignificantBits() <= 63)
      term.step_bytes = step->getAPInt().getSExtValue();
    if (const auto* count = dyn_cast<SCEVConstant>(evolution.getBackedgeTakenCount(loop));
        count != nullptr && count->getAPInt().getActiveBits() <= 62)
      term.iterations = count->getAPInt().getZExtValue() + 1;
    access.footprint.insert(access.footprint.begin(), term);
    address = recurrence->getStart();
  }
  const SCEV* distance =
      evolution.getMinusSCEV(address, evolution.getSCEV(const_cast<Value*>(access.object)));
  if (const auto* first = dyn_cast<SCEVConstant>(distance);
      first != nullptr && first->getAPInt().getSignificantBits() <= 63)
    access.first_byte = first->getAPInt().getSExtValue();
}

/// Of an instruction that was moved before a loop and has lost its line, where its value is used first.
DebugLoc debug_place(const Instruction& instruction, unsigned depth = 0) {
  const DebugLoc& own = instruction.getDebugLoc();
  if ((own && own.getLine() != 0) || depth == 4) return own;
  DebugLoc found;
  const auto* store = dyn_cast<StoreInst>(&instruction);
  if (const auto* value = store != nullptr ? dyn_cast<Instruction>(store->getValueOperand()) : nullptr)
    return value->getDebugLoc();
  for (const User* user : instruction.users()) {
    const DebugLoc other = debug_place(*cast<Instruction>(user), depth + 1);
    if (other && other.getLine() != 0 && (!found || other.getLine() < found.getLine())) found = other;
  }
  return found ? found : own;
}

/// Also through variables that stand for one value, as where a loop is left.
const Value* object_of_address(const Value* address) {
  const Value* object = getUnderlyingObject(address, 32);
  for (unsigned depth = 0; depth < 8; ++depth) {
    const auto* variable = dyn_cast<PHINode>(object);
    const Value* only = variable != nullptr ? variable->hasConstantValue() : nullptr;
    if (only == nullptr || only == variable) break;
    object = getUnderlyingObject(only, 32);
  }
  return object;
}

/// What it accesses, as of any access; null: it is none.
Value* find_operand(Instruction& instruction, KernelAccess& access, Type*& type) {
  access.reads = !isa<StoreInst>(instruction);
  access.writes = !isa<LoadInst>(instruction);
  if (instruction.isAtomic())
    access.shared = "atomic";
  else if (instruction.isVolatile())
    access.shared = "volatile";
  if (auto* update = dyn_cast<AtomicRMWInst>(&instruction)) {
    type = update->getType();
    return update->getPointerOperand();
  }
  if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    type = exchange->getCompareOperand()->getType();
    return exchange->getPointerOperand();
  }
  Value* address = getLoadStorePointerOperand(&instruction);
  if (address != nullptr) type = getLoadStoreType(&instruction);
  return address;
}

void set_place(KernelAccess& access, const Instruction& instruction) {
  const DebugLoc place = debug_place(instruction);
  const Function& function = *instruction.getFunction();
  // One instruction for several lines, as for all returns of a structure, has line 0 or no place.
  const DISubprogram* program =
      place ? cast<DILocalScope>(place.getScope())->getSubprogram() : function.getSubprogram();
  if (program == nullptr) return;
  access.file = program->getFilename().str();
  access.function = program->getName().str();
  if (!place) return;
  access.file = cast<DILocalScope>(place.getScope())->getFilename().str();
  access.line = place.getLine();
  access.reason_place = line_of(place, function);
}

/// Of the functions that run before and after main.
bool is_entry_of_constructors(const User* user) {
  return isa<ConstantStruct>(user) && any_of(user->users(), [](const User* list) {
           return any_of(list->users(), [](const User* variable) {
             return isa<GlobalVariable>(variable) && (variable->getName() == "llvm.global_ctors" ||
                                                      variable->getName() == "llvm.global_dtors");
           });
         });
}

/// Chooses what an ifunc is: the loader calls it before it has linked what code for kernels calls.
bool is_resolver(const Function& function) {
  return any_of(function.users(), [](const User* user) { return isa<GlobalIFunc>(user); });
}

/// Whether a kernel may have got its address.
bool may_be_called_by_pointer(const Function& function) {
  return none_of(function.users(), is_entry_of_constructors) &&
         function.hasAddressTaken(nullptr, false, true, /*IngoreLLVMUsed=*/true);
}

}  // namespace

const char* name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::single:
      return "single";
    case Pattern::contiguous:
      return "contiguous";
    case Pattern::interval:
      return "interval";
    case Pattern::discrete:
      return "discrete";
  }
  return "";
}

std::vector<KernelAccess> accesses_of(Function& function, LoopInfo& loops, ScalarEvolution& evolution) {
  std::vector<KernelAccess> accesses;
  const DataLayout& layout = function.getParent()->getDataLayout();
  for (Instruction& instruction : instructions(function)) {
    KernelAccess access;
    Type* type = nullptr;
    Value* const address = find_operand(instruction, access, type);
    if (address == nullptr) continue;
    access.object = object_of_address(address);
    if (is_no_array(access.object)) continue;
    access.bytes = static_cast<unsigned>(layout.getTypeStoreSize(type).getKnownMinValue());
    set_place(access, instruction);
    Loop* loop = loops.getLoopFor(instruction.getParent());
    if (isa<PHINode>(access.object) || isa<SelectInst>(access.object)) {
      access.pattern = Pattern::discrete;
      access.reason = reason_of(*access.object, loops);
      set_iterations(access, loop, evolution);
    } else {
      classify(access, address, loop, evolution);
      if (access.pattern != Pattern::discrete) set_footprint(access, address, evolution);
    }
    accesses.push_back(access);
  }
  return accesses;
}

std::vector<Function*> kernels_of(Module& module) {
  SetVector<Function*> kernels;
  const auto add = [&](Value* value) {
    auto* function = dyn_cast<Function>(value->stripPointerCasts());
    if (function != nullptr && !function->isDeclaration()) kernels.insert(function);
  };
  if (const GlobalVariable* list = module.getGlobalVariable("llvm.global.annotations")) {
    for (const Use& entry : cast<Constant>(list->getInitializer())->operands()) {
      const auto* fields = cast<ConstantStruct>(entry.get());
      const auto* text = dyn_cast<GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
      const auto* value =
          text != nullptr ? dyn_cast<ConstantDataSequential>(text->getInitializer()) : nullptr;
      if (value != nullptr && value->isCString() && value->getAsCString() == kernel_annotation)
        add(fields->getOperand(0));
    }
  }
  for (const char* runner : {"m_run", "m_spawn", "taihu_region_run"}) {
    const Function* function = module.getFunction(runner);
    if (function == nullptr) continue;
    for (const User* user : function->users())
      if (const auto* call = dyn_cast<CallBase>(user);
          call != nullptr && call->getCalledFunction() == function)
        add(call->getArgOperand(0));
  }
  if (is_autonomic()) add_parts_of_main(module, kernels);
  return {kernels.begin(), kernels.end()};
}

std::vector<Function*> functions_for_other_files(Module& module, const SetVector<Function*>& known) {
  std::vector<Function*> found;
  if (is_autonomic()) return found;  // they are kernels there
  const auto is_known_elsewhere = [](const Function& function) {
    return function.hasExternalLinkage() && !function.hasFnAttribute(constructor_attribute);
  };
  for (Function& function : module)
    if (!function.isDeclaration() && (is_known_elsewhere(function) || may_be_called_by_pointer(function)) &&
        !is_resolver(function) && function.getName() != "main" && !function.hasOptNone() &&
        !known.contains(&function))
      found.push_back(&function);
  return found;
}

}  // namespace taihu::compiler
