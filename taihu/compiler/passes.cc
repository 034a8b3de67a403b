// SPDX-License-Identifier: Apache-2.0
// What remains to be done on the intermediate code, before any optimisation: regions become calls of the
// runtime, scratchpad variables are addressed through the calling thread's instance, shared variables get
// their final sections. Marks come from the front end as sections and as calls of marker functions, so that
// the passes also work where the code was stored in between (-save-temps).
#include "taihu/compiler/passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "taihu/compiler/autonomic_main.h"
#include "taihu/compiler/names.h"
#include "taihu/compiler/proxied_calls.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

CallBase* sole_call(Function& function) {
  return function.hasOneUse() ? dyn_cast<CallBase>(*function.user_begin()) : nullptr;
}

/// The call taihu_region_enter(region, scope) in `function`.
CallBase* find_enter(Function& function, uint64_t region) {
  for (Instruction& instruction : instructions(function)) {
    auto* call = dyn_cast<CallBase>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr) continue;
    if (call->getCalledFunction()->getName() != "taihu_region_enter") continue;
    if (cast<ConstantInt>(call->getArgOperand(0))->getZExtValue() == region) return call;
  }
  return nullptr;
}

/// Makes the call of the region's function `run` taihu_region_run(function, captured, scope).
void run_region(Module& module, CallBase& run, Value* scope) {
  LLVMContext& context = module.getContext();
  Type* pointer = PointerType::getUnqual(context);
  const FunctionCallee runner = module.getOrInsertFunction("taihu_region_run", Type::getVoidTy(context),
                                                           pointer, pointer, Type::getInt32Ty(context));
  IRBuilder<> builder(&run);
  Value* arguments[] = {run.getCalledOperand(), run.getArgOperand(0), scope};
  if (auto* invoke = dyn_cast<InvokeInst>(&run))
    builder.CreateInvoke(runner, invoke->getNormalDest(), invoke->getUnwindDest(), arguments);
  else
    builder.CreateCall(runner, arguments);
  run.eraseFromParent();
}

void erase_marker(Module& module, StringRef name) {
  if (Function* marker = module.getFunction(name); marker != nullptr && marker->use_empty())
    marker->eraseFromParent();
}

bool place_regions(Module& module) {
  Function* inside = module.getFunction("taihu_region_inside");
  if (inside == nullptr) return false;
  for (User* user : make_early_inc_range(inside->users())) {
    auto* marker = cast<CallBase>(user);
    const uint64_t region = cast<ConstantInt>(marker->getArgOperand(0))->getZExtValue();
    CallBase* run = sole_call(*marker->getFunction());
    CallBase* enter = run == nullptr ? nullptr : find_enter(*run->getFunction(), region);
    if (enter == nullptr) {
      module.getContext().emitError("parallelc: a forall region has lost its place in " +
                                    marker->getFunction()->getName());
      return true;
    }
    run_region(module, *run, enter->getArgOperand(1));
    if (auto* invoke = dyn_cast<InvokeInst>(enter)) BranchInst::Create(invoke->getNormalDest(), invoke);
    enter->eraseFromParent();
    if (auto* invoke = dyn_cast<InvokeInst>(marker)) BranchInst::Create(invoke->getNormalDest(), invoke);
    marker->eraseFromParent();
  }
  erase_marker(module, "taihu_region_inside");
  erase_marker(module, "taihu_region_enter");
  return true;
}

/// The kind of place that the front end chose; it adds a number to the name.
StringRef section_kind(const GlobalVariable& variable) {
  return variable.getSection().split('.').first;
}

GlobalVariable* scratchpad_delta(Module& module) {
  if (GlobalVariable* known = module.getGlobalVariable("taihu_scratchpad_delta")) return known;
  Type* word = Type::getIntNTy(module.getContext(), module.getDataLayout().getPointerSizeInBits());
  return new GlobalVariable(module, word, false, GlobalValue::ExternalLinkage, nullptr,
                            "taihu_scratchpad_delta", nullptr, GlobalValue::InitialExecTLSModel);
}

/// The instances that a function uses. All addresses are made at its start: the delta belongs to the calling
/// context and cannot change while the function runs.
class InstanceAddresses {
 public:
  explicit InstanceAddresses(Function& function)
      : function_(function),
        builder_(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()),
        delta_variable_(scratchpad_delta(*function.getParent())) {}

  Value* address(GlobalVariable& variable, bool checked) {
    Value*& known = addresses_[&variable];
    if (known == nullptr) known = make(variable, checked);
    return known;
  }

 private:
  Value* make(GlobalVariable& variable, bool checked) {
    if (checked && !checked_) check();
    if (delta_ == nullptr) {
      Value* place = builder_.CreateThreadLocalAddress(delta_variable_);
      delta_ = builder_.CreateLoad(delta_variable_->getValueType(), place, "scratchpad");
    }
    return builder_.CreatePtrAdd(&variable, delta_, variable.getName());
  }

  void check() {
    Type* pointer = PointerType::getUnqual(function_.getContext());
    const FunctionCallee checker = function_.getParent()->getOrInsertFunction(
        "taihu_scratchpad_check", Type::getVoidTy(function_.getContext()), pointer);
    CallInst* call = builder_.CreateCall(checker, builder_.CreateGlobalStringPtr(function_.getName()));
    // A call in a function with debug information must have a place.
    if (DISubprogram* program = function_.getSubprogram())
      call->setDebugLoc(DILocation::get(function_.getContext(), program->getLine(), 0, program));
    checked_ = true;
  }

  Function& function_;
  IRBuilder<> builder_;
  GlobalVariable* delta_variable_;
  Value* delta_ = nullptr;
  bool checked_ = false;
  SmallDenseMap<GlobalVariable*, Value*> addresses_;
};

bool place_scratchpad(Module& module) {
  SmallVector<GlobalVariable*> variables;
  SmallVector<Constant*> constants;
  SmallPtrSet<GlobalVariable*, 8> checked;
  for (GlobalVariable& variable : module.globals()) {
    const StringRef kind = section_kind(variable);
    if (kind != scratchpad_section && kind != checked_scratchpad_section) continue;
    if (kind == checked_scratchpad_section) checked.insert(&variable);
    variable.setSection(variable.isDeclaration() ? "" : scratchpad_section);
    variable.setConstant(false);  // each thread's instance is written once, at its start
    variables.push_back(&variable);
    constants.push_back(&variable);
  }
  if (variables.empty()) return false;
  convertUsersOfConstantsToInstructions(constants);
  DenseMap<Function*, std::unique_ptr<InstanceAddresses>> functions;
  for (GlobalVariable* variable : variables) {
    for (Use& use : make_early_inc_range(variable->uses())) {
      auto* instruction = dyn_cast<Instruction>(use.getUser());
      if (instruction == nullptr) continue;
      Function* function = instruction->getFunction();
      auto& addresses = functions[function];
      if (addresses == nullptr) addresses = std::make_unique<InstanceAddresses>(*function);
      Value* address = addresses->address(*variable, checked.contains(variable));
      use.set(address);
    }
  }
  return true;
}

/// Zero-initialised variables go where they cost no bytes of the file.
bool place_shared(Module& module) {
  bool changed = false;
  for (GlobalVariable& variable : module.globals()) {
    const StringRef section = section_kind(variable);
    if (section != node_shared_section && section != bnode_shared_section) continue;
    const std::string kind = section == node_shared_section ? "node_shared" : "bnode_shared";
    changed = true;
    if (variable.isDeclaration() || variable.isConstant())
      variable.setSection("");
    else if (variable.getInitializer()->isNullValue())
      variable.setSection(".bss.taihu_" + kind);
    else
      variable.setSection("taihu_" + kind + "_data");
  }
  return changed;
}

/// The runtime looks for main by name, also in programs compiled with -fvisibility=hidden.
bool show_main(Module& module) {
  Function* main = module.getFunction("main");
  if (main == nullptr || main->isDeclaration() || main->hasDefaultVisibility()) return false;
  main->setVisibility(GlobalValue::DefaultVisibility);
  return true;
}

}  // namespace

PreservedAnalyses PlacementPass::run(Module& module, ModuleAnalysisManager&) {
  // Code that was stored after this pass and is compiled on from there.
  if (module.getNamedMetadata("taihu.placed") != nullptr) return PreservedAnalyses::all();
  const bool has_regions = place_regions(module);
  bool changed = has_regions;
  changed |= place_proxied_calls(module, has_regions || is_autonomic());
  changed |= place_scratchpad(module);
  changed |= place_shared(module);
  changed |= show_main(module);
  changed |= is_autonomic() && place_main(module);
  if (changed) module.getOrInsertNamedMetadata("taihu.placed");
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace taihu::compiler
