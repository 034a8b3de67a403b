// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/operation_kinds.h"

#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

constexpr unsigned vector_bytes = 32;

bool is_runtime(const Function* function) {
  if (function == nullptr) return false;
  const StringRef name = function->getName();
  if (!function->isDeclaration()) return false;
  return name.starts_with("m_") || name.starts_with("dma_") || name.starts_with("spm_") ||
         name.starts_with("taihu_") || name == "get_task_id";
}

bool is_square_root(const Function* function) {
  return function != nullptr && (function->getIntrinsicID() == Intrinsic::sqrt ||
                                 function->getName() == "sqrt" || function->getName() == "sqrtf");
}

/// Intrinsics that become calls of the mathematical library.
bool is_library_function(Intrinsic::ID intrinsic) {
  switch (intrinsic) {
    case Intrinsic::sin:
    case Intrinsic::cos:
    case Intrinsic::tan:
    case Intrinsic::exp:
    case Intrinsic::exp2:
    case Intrinsic::log:
    case Intrinsic::log2:
    case Intrinsic::log10:
    case Intrinsic::pow:
    case Intrinsic::powi:
      return true;
    default:
      return false;
  }
}

bool costs_nothing(Intrinsic::ID intrinsic) {
  switch (intrinsic) {
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end:
    case Intrinsic::assume:
    case Intrinsic::dbg_declare:
    case Intrinsic::dbg_value:
    case Intrinsic::dbg_label:
    case Intrinsic::experimental_noalias_scope_decl:
    case Intrinsic::expect:
    case Intrinsic::threadlocal_address:
    case Intrinsic::memcpy:
    case Intrinsic::memmove:
    case Intrinsic::memset:
      return true;
    default:
      return false;
  }
}

void count_call(const CallBase& call, unsigned operations, OperationCount& count) {
  const Function* callee = call.getCalledFunction();
  if (is_square_root(callee)) {
    count.number[TAIHU_OPERATION_SQUARE_ROOT] = operations;
    return;
  }
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    if (costs_nothing(intrinsic->getIntrinsicID())) return;
    count.calls = is_library_function(intrinsic->getIntrinsicID());
  } else if (!call.isInlineAsm()) {
    count.looks_at_time = is_runtime(callee);
    count.calls = !count.looks_at_time;
  }
  count.number[TAIHU_OPERATION_SIMPLE] = operations;
}

}  // namespace

OperationCount operations_of(const Instruction& instruction) {
  OperationCount count;
  const DataLayout& layout = instruction.getModule()->getDataLayout();
  Type* type = instruction.getType();
  unsigned operations = 1;
  if (type->isVectorTy())
    operations = static_cast<unsigned>((layout.getTypeStoreSize(type).getKnownMinValue() + vector_bytes - 1) /
                                       vector_bytes);
  switch (instruction.getOpcode()) {
    case Instruction::PHI:
    case Instruction::Alloca:
    case Instruction::GetElementPtr:
    case Instruction::Load:
    case Instruction::Store:
    case Instruction::AtomicRMW:
    case Instruction::AtomicCmpXchg:
    case Instruction::BitCast:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
    case Instruction::AddrSpaceCast:
    case Instruction::Trunc:
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::Freeze:
    case Instruction::ExtractValue:
    case Instruction::InsertValue:
    case Instruction::Unreachable:
      return count;
    case Instruction::Br:
      operations = instruction.getNumSuccessors() > 1 ? 1 : 0;
      break;
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
      // By a constant it is a multiplication and a shift.
      if (isa<Constant>(instruction.getOperand(1))) {
        count.number[TAIHU_OPERATION_SIMPLE] = 2 * operations;
        return count;
      }
      [[fallthrough]];
    case Instruction::FDiv:
    case Instruction::FRem:
      count.number[TAIHU_OPERATION_DIVISION] = operations;
      return count;
    case Instruction::Call:
    case Instruction::Invoke:
      count_call(cast<CallBase>(instruction), operations, count);
      return count;
    default:
      break;
  }
  count.number[TAIHU_OPERATION_SIMPLE] = operations;
  return count;
}

}  // namespace taihu::compiler
