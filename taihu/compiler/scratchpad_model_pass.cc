// SPDX-License-Identifier: Apache-2.0
// parcc --spm-model: every function gets a twin that counts its accesses and operations
// (abi/scratchpad_record.h), to which it goes on where the caller has counters, which only kernels have.
// Counters of a block whose place is known are added up and written once. Runs before vectors are made, so
// that the counts are those of the source's loops.
#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/AttributeMask.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "taihu/abi/scratchpad_record.h"
#include "taihu/compiler/counting_tables.h"
#include "taihu/compiler/names.h"
#include "taihu/compiler/operation_kinds.h"
#include "taihu/compiler/passes.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

// Options of LLVM and not of the front end: code that was stored in between is compiled with them as well.
cl::opt<std::string> machine_file(
    "taihu-scratchpad-model", cl::Hidden,
    cl::desc("count for the scratchpad model; its machine's file, or 'default'"));
cl::opt<bool> with_lines("taihu-scratchpad-model-lines", cl::Hidden, cl::desc("and count by source line"));

cl::opt<std::string> picture_folder("taihu-scratchpad-model-pictures", cl::Hidden,
                                    cl::desc("folder for pictures of the scratchpad over time"));

constexpr unsigned word_bytes = 8;
constexpr unsigned largest_access_bytes = 64;

/// Offset in the record of the counter of an access in place 0; the others follow.
unsigned access_offset(unsigned kind, unsigned size) {
  return offsetof(taihu_scratchpad_record, accesses) +
         ((kind * TAIHU_ACCESS_SIZES + size) * TAIHU_PLACES) * word_bytes;
}

/// One access of an instruction.
struct Access {
  Instruction* instruction;
  Value* address;
  unsigned kind;
  unsigned size = 0;       ///< class
  unsigned times = 1;      ///< accesses of that class
  Value* bytes = nullptr;  ///< of a copy or fill; then words are counted
};

void set_size(Access& access, uint64_t bytes) {
  while (access.size + 1 < TAIHU_ACCESS_SIZES && bytes > (word_bytes << access.size)) ++access.size;
  access.times = static_cast<unsigned>((bytes + largest_access_bytes - 1) / largest_access_bytes);
  if (access.times == 0) access.times = 1;
}

/// Where it is known to lie; TAIHU_PLACES when that depends.
unsigned known_place(const Value* address) {
  const Value* object = getUnderlyingObject(address, 32);
  if (isa<AllocaInst>(object)) return TAIHU_PLACE_STACK;
  const auto* variable = dyn_cast<GlobalVariable>(object);
  if (variable == nullptr || variable->isDeclaration()) return TAIHU_PLACES;
  // The address of a thread's instance is the variable's with a distance added.
  return variable->getSection() == scratchpad_section ? TAIHU_PLACE_SCRATCHPAD : TAIHU_PLACE_MEMORY;
}

/// The distance of the scratchpad, which is no access of the program.
bool is_own(const Value* address) {
  if (const auto* call = dyn_cast<IntrinsicInst>(address);
      call != nullptr && call->getIntrinsicID() == Intrinsic::threadlocal_address)
    address = call->getArgOperand(0);
  return address->getName().starts_with("taihu_");
}

void find_accesses(Instruction& instruction, const DataLayout& layout, SmallVectorImpl<Access>& accesses) {
  const auto add = [&](Value* address, unsigned kind, Type* type) {
    if (is_own(address)) return;
    Access access{&instruction, address, kind};
    set_size(access, layout.getTypeStoreSize(type).getKnownMinValue());
    accesses.push_back(access);
  };
  const auto add_bytes = [&](Value* address, unsigned kind, Value* bytes) {
    Access access{&instruction, address, kind};
    access.bytes = bytes;
    accesses.push_back(access);
  };
  if (auto* load = dyn_cast<LoadInst>(&instruction)) {
    add(load->getPointerOperand(), TAIHU_ACCESS_LOAD, load->getType());
  } else if (auto* store = dyn_cast<StoreInst>(&instruction)) {
    add(store->getPointerOperand(), TAIHU_ACCESS_STORE, store->getValueOperand()->getType());
  } else if (auto* update = dyn_cast<AtomicRMWInst>(&instruction)) {
    add(update->getPointerOperand(), TAIHU_ACCESS_ATOMIC, update->getType());
  } else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    add(exchange->getPointerOperand(), TAIHU_ACCESS_ATOMIC, exchange->getNewValOperand()->getType());
  } else if (auto* fill = dyn_cast<MemIntrinsic>(&instruction)) {
    if (auto* copy = dyn_cast<MemTransferInst>(fill))
      add_bytes(copy->getRawSource(), TAIHU_ACCESS_LOAD, copy->getLength());
    add_bytes(fill->getRawDest(), TAIHU_ACCESS_STORE, fill->getLength());
  }
}

Value* current_record(IRBuilder<>& builder, Module& module) {
  Type* pointer = builder.getPtrTy();
  GlobalVariable* variable = module.getGlobalVariable("taihu_current_record");
  if (variable == nullptr) {
    variable = new GlobalVariable(module, pointer, false, GlobalValue::ExternalLinkage, nullptr,
                                  "taihu_current_record", nullptr, GlobalValue::InitialExecTLSModel);
  }
  return builder.CreateLoad(pointer, builder.CreateThreadLocalAddress(variable), "record");
}

/// Makes one function count.
class Counting {
 public:
  Counting(Function& function, CountingTables& tables)
      : function_(function),
        tables_(tables),
        builder_(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {
    if (DISubprogram* program = function.getSubprogram())
      builder_.SetCurrentDebugLocation(
          DILocation::get(function.getContext(), program->getLine(), 0, program));
    record_ = current_record(builder_, *function.getParent());
    for (unsigned place = 0; place < 2; ++place) {
      begin_[place] = load(offsetof(taihu_scratchpad_record, begin) + place * word_bytes);
      length_[place] = load(offsetof(taihu_scratchpad_record, length) + place * word_bytes);
    }
    Value* calling = load(offsetof(taihu_scratchpad_record, calling));
    add(counter(offsetof(taihu_scratchpad_record, entered)), calling);
    builder_.CreateStore(builder_.getInt64(0), counter(offsetof(taihu_scratchpad_record, calling)));
    first_ = &*builder_.GetInsertPoint();
  }

  void run() {
    SmallVector<BasicBlock*> blocks;
    for (BasicBlock& block : function_) blocks.push_back(&block);
    for (BasicBlock* block : blocks) count(*block);
  }

 private:
  Value* counter(uint64_t offset) {
    return builder_.CreateConstGEP1_64(builder_.getInt8Ty(), record_, offset);
  }
  Value* load(uint64_t offset) { return builder_.CreateLoad(builder_.getInt64Ty(), counter(offset)); }
  void add(Value* place, Value* amount) {
    builder_.CreateStore(builder_.CreateAdd(builder_.CreateLoad(builder_.getInt64Ty(), place), amount),
                         place);
  }

  void count(BasicBlock& block) {
    const bool is_entry = &block == &function_.getEntryBlock();
    SmallVector<Instruction*> instructions;
    for (auto place = is_entry ? first_->getIterator() : block.getFirstNonPHIOrDbg()->getIterator();
         place != block.end(); ++place)
      instructions.push_back(&*place);
    const DataLayout& layout = function_.getParent()->getDataLayout();
    for (Instruction* instruction : instructions) {
      SmallVector<Access, 2> accesses;
      find_accesses(*instruction, layout, accesses);
      builder_.SetInsertPoint(instruction);
      for (const Access& access : accesses) count(access);
      const OperationCount operations = operations_of(*instruction);
      for (unsigned kind = 0; kind < TAIHU_OPERATIONS; ++kind) {
        if (operations.number[kind] == 0) continue;
        sums_[offsetof(taihu_scratchpad_record, operations) + kind * word_bytes] += operations.number[kind];
        if (tables_.has_lines())
          line_sums_[tables_.line_offset(*instruction) + offsetof(taihu_source_line, operations) +
                     kind * word_bytes] += operations.number[kind];
      }
      if (tables_.has_lines() && isa<CallBase>(instruction) && !isa<IntrinsicInst>(instruction))
        builder_.CreateStore(tables_.in_lines(tables_.line_offset(*instruction)),
                             counter(offsetof(taihu_scratchpad_record, line)));
      if (operations.calls) sums_[offsetof(taihu_scratchpad_record, calls)] += 1;
      if (operations.calls || operations.looks_at_time || instruction->isTerminator()) flush();
      if (operations.calls && !isa<IntrinsicInst>(instruction))
        builder_.CreateStore(builder_.getInt64(1), counter(offsetof(taihu_scratchpad_record, calling)));
    }
  }

  void count(const Access& access) {
    const unsigned known = known_place(access.address);
    const unsigned offset = access_offset(access.kind, access.size);
    const uint64_t in_lines = !tables_.has_lines() ? 0
                                                   : tables_.line_offset(*access.instruction) +
                                                         offsetof(taihu_source_line, accesses) + offset -
                                                         offsetof(taihu_scratchpad_record, accesses);
    Value* times = builder_.getInt64(access.times);
    if (access.bytes != nullptr) {
      Value* bytes = builder_.CreateZExtOrTrunc(access.bytes, builder_.getInt64Ty());
      times = builder_.CreateLShr(builder_.CreateAdd(bytes, builder_.getInt64(7)), 3);
    }
    Value* place = known == TAIHU_PLACES ? place_of(access.address) : builder_.getInt64(known);
    if (known != TAIHU_PLACES && access.bytes == nullptr) {
      sums_[offset + known * word_bytes] += access.times;
      if (tables_.has_lines()) line_sums_[in_lines + known * word_bytes] += access.times;
    } else {
      Value* shift = builder_.CreateShl(place, 3);
      add(builder_.CreatePtrAdd(counter(offset), shift), times);
      if (tables_.has_lines()) add_to_line(builder_.CreatePtrAdd(tables_.in_lines(in_lines), shift), times);
    }
  }
  void add_to_line(Value* counter, Value* amount) {
    builder_.CreateAtomicRMW(AtomicRMWInst::Add, counter, amount, Align(8), AtomicOrdering::Monotonic);
  }

  Value* place_of(Value* address) {
    Value* number = builder_.CreatePtrToInt(address, builder_.getInt64Ty());
    const auto is_in = [&](unsigned place) {
      return builder_.CreateICmpULT(builder_.CreateSub(number, begin_[place]), length_[place]);
    };
    Value* outside = builder_.CreateSelect(is_in(1), builder_.getInt64(TAIHU_PLACE_STACK),
                                           builder_.getInt64(TAIHU_PLACE_MEMORY));
    return builder_.CreateSelect(is_in(0), builder_.getInt64(TAIHU_PLACE_SCRATCHPAD), outside);
  }

  /// Writes what has been added up since the last time.
  void flush() {
    for (const auto& [offset, amount] : sums_) add(counter(offset), builder_.getInt64(amount));
    for (const auto& [offset, amount] : line_sums_)
      add_to_line(tables_.in_lines(offset), builder_.getInt64(amount));
    sums_.clear();
    line_sums_.clear();
  }

  Function& function_;
  CountingTables& tables_;
  IRBuilder<> builder_;
  Value* record_;
  Value* begin_[2];
  Value* length_[2];
  Instruction* first_;
  MapVector<unsigned, uint64_t> sums_;
  MapVector<uint64_t, uint64_t> line_sums_;  ///< by offset in the table of lines
};

/// Jumps to addresses of labels cannot be copied.
bool can_be_cloned(const Function& function) {
  if (function.isDeclaration() || function.hasAvailableExternallyLinkage() ||
      function.hasFnAttribute(Attribute::Naked))
    return false;
  for (const BasicBlock& block : function)
    if (block.hasAddressTaken()) return false;
  return true;
}

/// A new first block of `function`: where the caller has counters, `twin` does the rest.
void branch_to(Function& function, Function& twin) {
  BasicBlock& body = function.getEntryBlock();
  BasicBlock* check = BasicBlock::Create(function.getContext(), "", &function, &body);
  BasicBlock* go = BasicBlock::Create(function.getContext(), "", &function, &body);
  for (Instruction& instruction : make_early_inc_range(body)) {
    auto* place = dyn_cast<AllocaInst>(&instruction);
    if (place != nullptr && isa<ConstantInt>(place->getArraySize())) place->moveBefore(*check, check->end());
  }
  IRBuilder<> builder(check);
  if (DISubprogram* program = function.getSubprogram())
    builder.SetCurrentDebugLocation(DILocation::get(function.getContext(), program->getLine(), 0, program));
  builder.CreateCondBr(builder.CreateIsNull(current_record(builder, *function.getParent())), &body, go);
  builder.SetInsertPoint(go);
  SmallVector<Value*> arguments;
  for (Argument& argument : function.args()) arguments.push_back(&argument);
  CallInst* call = builder.CreateCall(&twin, arguments);
  call->setCallingConv(function.getCallingConv());
  call->setAttributes(function.getAttributes());
  AttributeMask inlining;
  inlining.addAttribute(Attribute::AlwaysInline).addAttribute(Attribute::NoInline);
  call->removeFnAttrs(inlining);
  call->setTailCallKind(CallInst::TCK_MustTail);
  if (function.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

/// What counts writes memory, whatever was found out about the function before.
void forget_memory_effects(Module& module) {
  AttributeMask mask;
  mask.addAttribute(Attribute::Memory).addAttribute(Attribute::Speculatable);
  for (Function& function : module) {
    if (function.isIntrinsic()) continue;
    function.removeFnAttrs(mask);
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction); call != nullptr && !isa<IntrinsicInst>(call))
        call->removeFnAttrs(mask);
  }
}

bool is_kernel_like(const Function& function) {
  return function.getReturnType()->isVoidTy() && function.arg_size() == 1 && !function.isVarArg() &&
         function.getArg(0)->getType()->isPointerTy() &&
         (!function.hasLocalLinkage() || function.hasAddressTaken());
}

}  // namespace

PreservedAnalyses ScratchpadModelPass::run(Module& module, ModuleAnalysisManager&) {
  if (machine_file.empty() || module.getNamedMetadata("taihu.modelled") != nullptr)
    return PreservedAnalyses::all();
  std::string machine;
  if (machine_file != "default") {
    auto file = MemoryBuffer::getFile(machine_file, true);
    if (!file) {
      module.getContext().emitError("cannot read " + machine_file + ": " + file.getError().message());
      return PreservedAnalyses::all();
    }
    machine = (*file)->getBuffer().str();
  }
  module.getOrInsertNamedMetadata("taihu.modelled");
  forget_memory_effects(module);
  CountingTables tables(module, with_lines);
  SmallVector<Function*> functions;
  for (Function& function : module)
    if (can_be_cloned(function)) functions.push_back(&function);
  SmallVector<std::pair<Function*, Function*>> twins;
  for (Function* function : functions) {
    if (is_kernel_like(*function)) tables.add_kernel(*function);
    ValueToValueMapTy values;
    Function* twin = CloneFunction(function, values);
    twin->setName(function->getName() + ".counting");
    twin->setLinkage(GlobalValue::InternalLinkage);
    twin->setVisibility(GlobalValue::DefaultVisibility);
    twin->setComdat(nullptr);
    twins.emplace_back(function, twin);
  }
  for (const auto& [function, twin] : twins) {
    Counting(*twin, tables).run();
    branch_to(*function, *twin);
  }
  tables.finish(machine, picture_folder);
  return PreservedAnalyses::none();
}

}  // namespace taihu::compiler
