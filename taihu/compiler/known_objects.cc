// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/known_objects.h"

#include <vector>

#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "taihu/abi/staging.h"
#include "taihu/compiler/loop_facts.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

/// Loops over less have nothing to move.
constexpr unsigned long least_bytes = 64;

/// Whether anything but a load or a store through it has the address, so that a pointer may name the object.
bool is_address_taken(const Value& address) {
  for (const Use& use : address.uses()) {
    const User* user = use.getUser();
    if (isa<LoadInst>(user)) continue;
    if (isa<StoreInst>(user) && use.getOperandNo() == StoreInst::getPointerOperandIndex()) continue;
    if (!isa<GEPOperator>(user) || is_address_taken(*user)) return true;
  }
  return false;
}

void call_with_table(Module& module, const char* name, Constant* table, uint64_t count,
                     void (*append)(Module&, Function*, int, Constant*)) {
  LLVMContext& context = module.getContext();
  auto* function = Function::Create(FunctionType::get(Type::getVoidTy(context), false),
                                    GlobalValue::InternalLinkage, std::string(name) + ".call", module);
  IRBuilder<> builder(BasicBlock::Create(context, "", function));
  builder.CreateCall(
      module.getOrInsertFunction(name, builder.getVoidTy(), builder.getPtrTy(), builder.getInt64Ty()),
      {table, builder.getInt64(count)});
  builder.CreateRetVoid();
  append(module, function, 65535, nullptr);
}

}  // namespace

void tell_objects(Module& module) {
  LLVMContext& context = module.getContext();
  Type* word = Type::getInt64Ty(context);
  auto* entry = StructType::get(context, {PointerType::getUnqual(context), word});
  std::vector<Constant*> entries;
  for (GlobalVariable& variable : module.globals()) {
    const unsigned long bytes =
        variable.getValueType()->isSized() ? known_bytes(&variable, module.getDataLayout()) : 0;
    if (bytes < least_bytes || variable.hasPrivateLinkage() || variable.hasSection() ||
        variable.hasAvailableExternallyLinkage() || variable.getName().starts_with("llvm.") ||
        variable.getName().starts_with("taihu_"))
      continue;
    if (variable.hasLocalLinkage() && !is_address_taken(variable)) continue;
    const uint64_t constant = variable.isConstant() ? TAIHU_OBJECT_CONSTANT : 0;
    entries.push_back(ConstantStruct::get(entry, {&variable, ConstantInt::get(word, bytes | constant)}));
  }
  if (entries.empty()) return;
  auto* type = ArrayType::get(entry, entries.size());
  auto* table = new GlobalVariable(module, type, true, GlobalValue::InternalLinkage,
                                   ConstantArray::get(type, entries), "taihu_objects");
  call_with_table(module, "taihu_add_objects", table, entries.size(), appendToGlobalCtors);
  call_with_table(module, "taihu_remove_objects", table, entries.size(), appendToGlobalDtors);
}

}  // namespace taihu::compiler
