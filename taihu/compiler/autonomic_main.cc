// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/autonomic_main.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

cl::opt<bool> autonomic("taihu-autonomic", cl::Hidden, cl::desc("the program runs on accelerator threads"));

constexpr char programmers_main[] = "main.user";

}  // namespace

bool is_autonomic() {
  return autonomic;
}

bool place_main(Module& module) {
  Function* const own = module.getFunction("main");
  if (own == nullptr || own->isDeclaration()) return false;
  LLVMContext& context = module.getContext();
  Type* const pointer = PointerType::getUnqual(context);
  Type* const number = Type::getInt32Ty(context);
  Type* const nothing = Type::getVoidTy(context);
  own->setName(programmers_main);  // for debuggers it is still main
  own->setLinkage(GlobalValue::InternalLinkage);
  own->setVisibility(GlobalValue::DefaultVisibility);
  own->setDSOLocal(true);

  auto* const kernel = Function::Create(FunctionType::get(nothing, {pointer}, false),
                                        GlobalValue::InternalLinkage, "user_main", module);
  IRBuilder<> builder(BasicBlock::Create(context, "", kernel));
  builder.CreateCall(module.getOrInsertFunction("taihu_call_main", nothing, pointer, pointer),
                     {kernel->getArg(0), own});
  builder.CreateRetVoid();

  // With three arguments, as the start files call it: a function that takes fewer does not look at the rest.
  auto* const main = Function::Create(FunctionType::get(number, {number, pointer, pointer}, false),
                                      GlobalValue::ExternalLinkage, "main", module);
  builder.SetInsertPoint(BasicBlock::Create(context, "", main));
  builder.CreateRet(builder.CreateCall(
      module.getOrInsertFunction("taihu_run_autonomic", number, pointer, number, pointer, pointer),
      {kernel, main->getArg(0), main->getArg(1), main->getArg(2)}));
  for (Function* made : {kernel, main}) made->setUWTableKind(UWTableKind::Async);
  return true;
}

void add_parts_of_main(Module& module, SetVector<Function*>& kernels) {
  for (Function& function : module)
    if (!function.isDeclaration() && (!function.hasLocalLinkage() || function.hasAddressTaken()) &&
        function.getName() != "main" && function.getName() != "user_main")
      kernels.insert(&function);
}

}  // namespace taihu::compiler
