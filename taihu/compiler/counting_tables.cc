// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/counting_tables.h"

#include <cstddef>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "taihu/abi/scratchpad_record.h"
#include "taihu/compiler/readable_name.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

/// Of a line, behind its place.
constexpr uint64_t line_counters =
    (sizeof(taihu_source_line) - offsetof(taihu_source_line, accesses)) / sizeof(uint64_t);

}  // namespace

CountingTables::CountingTables(Module& module, bool with_lines)
    : module_(module), context_(module.getContext()) {
  pointer_ = PointerType::getUnqual(context_);
  i32_ = Type::getInt32Ty(context_);
  i64_ = Type::getInt64Ty(context_);
  line_ = StructType::get(context_, {pointer_, pointer_, i32_, i32_, ArrayType::get(i64_, line_counters)});
  if (!with_lines) return;
  // Its length is not known before all is counted: replaced at the end.
  lines_ = new GlobalVariable(module, ArrayType::get(line_, 0), false, GlobalValue::InternalLinkage, nullptr,
                              "taihu_source_lines");
}

uint64_t CountingTables::line_offset(const Instruction& instruction) {
  Key key{module_.getSourceFileName(), instruction.getFunction()->getName(), 0};
  if (const DILocation* place = instruction.getDebugLoc().get()) {
    // Calls of parallelc.h that check their arguments belong to the line that calls them.
    while (place->getInlinedAt() != nullptr &&
           place->getScope()->getSubprogram()->getName().starts_with("taihu_"))
      place = place->getInlinedAt();
    key = {place->getFilename(), place->getScope()->getSubprogram()->getName(), place->getLine()};
  } else if (const DISubprogram* program = instruction.getFunction()->getSubprogram()) {
    key = {program->getFilename(), program->getName(), program->getLine()};
  }
  const auto [found, is_new] = numbers_.insert({key, numbers_.size()});
  if (is_new) {
    const auto& [file, function, line] = key;
    line_values_.push_back(ConstantStruct::get(
        line_, {text(file), text(function), ConstantInt::get(i32_, line), ConstantInt::get(i32_, 0),
                ConstantAggregateZero::get(line_->getElementType(4))}));
  }
  return found->second * sizeof(taihu_source_line);
}

Constant* CountingTables::in_lines(uint64_t offset) {
  return ConstantExpr::getGetElementPtr(Type::getInt8Ty(context_), lines_, ConstantInt::get(i64_, offset));
}

void CountingTables::add_kernel(Function& function) {
  const std::string name = readable_name(function);
  kernels_.push_back(
      ConstantStruct::get(StructType::get(context_, {pointer_, pointer_}), {&function, text(name)}));
}

void CountingTables::finish(StringRef machine, StringRef picture_folder) {
  Constant* lines = ConstantPointerNull::get(PointerType::getUnqual(context_));
  if (lines_ != nullptr) {
    lines = array("taihu_source_lines", line_, line_values_, false);
    lines_->replaceAllUsesWith(lines);
    lines_->eraseFromParent();
  }
  Constant* kernels =
      array("taihu_kernel_names", StructType::get(context_, {pointer_, pointer_}), kernels_, true);
  Constant* fields[] = {number(TAIHU_MODELLED_MODULE_VERSION),
                        text(machine),
                        lines,
                        number(line_values_.size()),
                        kernels,
                        number(kernels_.size()),
                        text(picture_folder)};
  Constant* value = ConstantStruct::getAnon(fields);
  auto* table = new GlobalVariable(module_, value->getType(), true, GlobalValue::InternalLinkage, value,
                                   "taihu_modelled_module");
  auto* constructor = Function::Create(FunctionType::get(Type::getVoidTy(context_), false),
                                       GlobalValue::InternalLinkage, "taihu_add_module", module_);
  IRBuilder<> builder(BasicBlock::Create(context_, "", constructor));
  builder.CreateCall(module_.getOrInsertFunction("taihu_add_modelled_module", builder.getVoidTy(), pointer_),
                     table);
  builder.CreateRetVoid();
  appendToGlobalCtors(module_, constructor, 65535);
}

Constant* CountingTables::text(StringRef text) {
  Constant*& known = texts_[text];
  if (known == nullptr) {
    Constant* value = ConstantDataArray::getString(context_, text);
    known =
        new GlobalVariable(module_, value->getType(), true, GlobalValue::PrivateLinkage, value, "taihu_text");
  }
  return known;
}

Constant* CountingTables::array(StringRef name, Type* element, ArrayRef<Constant*> values, bool is_constant) {
  auto* type = ArrayType::get(element, values.size());
  return new GlobalVariable(module_, type, is_constant, GlobalValue::InternalLinkage,
                            ConstantArray::get(type, values), name);
}

}  // namespace taihu::compiler
