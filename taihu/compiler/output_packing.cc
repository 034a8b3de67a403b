// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/output_packing.h"

#include <string>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "taihu/abi/output_request.h"
#include "taihu/compiler/output_format.h"
#include "taihu/compiler/proxied_calls.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

cl::opt<bool> no_proxy_opt("taihu-no-proxy-opt", cl::Hidden,
                           cl::desc("one request for the format and for each argument of an output call"));

/// A request has at most so much; calls beyond are not joined to it.
constexpr size_t most_arguments = 48, most_format = 4096;

/// An output call in the form that a request has.
struct Output {
  std::string format;
  bool is_bytes = false;
  std::vector<int> kinds;
  SmallVector<Value*> arguments;
  Value* stream = nullptr;  ///< null: standard output
  std::vector<std::string> names;
};

/// How a function gives its output: which of its arguments is the format (or the text) and which the stream.
struct Form {
  enum { format, text, line, character, bytes } kind;
  int text_at, stream_at;  ///< -1: none
};

std::optional<Form> form_of(StringRef name) {
  return StringSwitch<std::optional<Form>>(name)
      .Case("printf", Form{Form::format, 0, -1})
      .Case("__printf_chk", Form{Form::format, 1, -1})
      .Case("fprintf", Form{Form::format, 1, 0})
      .Case("__fprintf_chk", Form{Form::format, 2, 0})
      .Case("puts", Form{Form::line, 0, -1})
      .Case("fputs", Form{Form::text, 0, 1})
      .Case("putchar", Form{Form::character, 0, -1})
      .Cases("putc", "fputc", "_IO_putc", Form{Form::character, 0, 1})
      .Case("fwrite", Form{Form::bytes, 0, 3})
      .Default(std::nullopt);
}

std::string escaped(StringRef text) {
  std::string format;
  for (const char c : text) format += c == '%' ? "%%" : std::string(1, c);
  return format;
}

bool is_of_kind(const Value& value, int kind) {
  const Type* type = value.getType();
  switch (kind) {
    case TAIHU_ARGUMENT_INT:
      return type->isIntegerTy(32);
    case TAIHU_ARGUMENT_LONG:
      return type->isIntegerTy(64) || type->isPointerTy();
    case TAIHU_ARGUMENT_DOUBLE:
      return type->isDoubleTy();
    case TAIHU_ARGUMENT_LONG_DOUBLE:
      return type->isX86_FP80Ty() || type->isFP128Ty();
    default:
      return type->isPointerTy();
  }
}

bool read_format(CallInst& call, Form form, Output& output) {
  StringRef format;
  if (!getConstantStringInfo(call.getArgOperand(static_cast<unsigned>(form.text_at)), format)) return false;
  const auto kinds = arguments_of_format(format);
  if (!kinds || format.empty()) return false;
  const unsigned first = static_cast<unsigned>(form.text_at) + 1;
  if (call.arg_size() < first + kinds->size()) return false;
  for (size_t i = 0; i < kinds->size(); ++i) {
    Value* argument = call.getArgOperand(first + static_cast<unsigned>(i));
    if (!is_of_kind(*argument, (*kinds)[i])) return false;
    output.arguments.push_back(argument);
  }
  output.format = format.str();
  output.kinds = *kinds;
  return true;
}

void read_text(Value* value, StringRef end, Output& output) {
  StringRef text;
  if (getConstantStringInfo(value, text)) {
    output.format = escaped(text) + end.str();
    return;
  }
  output.format = "%s" + end.str();
  output.kinds = {TAIHU_ARGUMENT_STRING};
  output.arguments = {value};
}

bool read_character(Value* value, Output& output) {
  if (const auto* constant = dyn_cast<ConstantInt>(value)) {
    const auto character = static_cast<char>(constant->getZExtValue());
    if (character != 0) {
      output.format = escaped(StringRef(&character, 1));
      return true;
    }
  }
  if (!value->getType()->isIntegerTy(32)) return false;
  output.format = "%c";
  output.kinds = {TAIHU_ARGUMENT_INT};
  output.arguments = {value};
  return true;
}

/// fwrite(address, size, number, stream).
bool read_bytes(CallInst& call, Output& output) {
  Type* const word = Type::getInt64Ty(call.getContext());
  if (call.arg_size() != 4 || call.getArgOperand(1)->getType() != word) return false;
  IRBuilder<> builder(&call);
  Value* const bytes = builder.CreateMul(call.getArgOperand(1), call.getArgOperand(2));
  StringRef text;
  if (const auto* constant = dyn_cast<ConstantInt>(bytes);
      constant != nullptr && getConstantStringInfo(call.getArgOperand(0), text, false) &&
      constant->getZExtValue() <= text.size() &&
      text.take_front(constant->getZExtValue()).find('\0') == StringRef::npos) {
    output.format = escaped(text.take_front(constant->getZExtValue()));
    return true;
  }
  output.is_bytes = true;
  output.arguments = {call.getArgOperand(0), bytes};
  return true;
}

std::optional<Output> output_of(CallInst& call) {
  const Function* function = call.getCalledFunction();
  if (function == nullptr || !is_of_library(*function) || !call.use_empty() || call.isMustTailCall() ||
      call.hasOperandBundles())
    return std::nullopt;
  StringRef name = function->getName();
  name.consume_front("\01");
  const auto form = form_of(name);
  if (!form) return std::nullopt;
  const auto most = static_cast<unsigned>(std::max(form->text_at, form->stream_at));
  if (call.arg_size() <= most) return std::nullopt;
  Output output;
  if (form->stream_at >= 0) {
    output.stream = call.getArgOperand(static_cast<unsigned>(form->stream_at));
    if (!output.stream->getType()->isPointerTy()) return std::nullopt;
  }
  output.names = {plain_name(name).str()};
  Value* const value = call.getArgOperand(static_cast<unsigned>(form->text_at));
  bool is_read = true;
  switch (form->kind) {
    case Form::format:
      is_read = read_format(call, *form, output);
      break;
    case Form::text:
      read_text(value, "", output);
      break;
    case Form::line:
      read_text(value, "\n", output);
      break;
    case Form::character:
      is_read = read_character(value, output);
      break;
    case Form::bytes:
      is_read = read_bytes(call, output);
      break;
  }
  if (!is_read || (output.format.empty() && !output.is_bytes)) return std::nullopt;
  return output;
}

/// Whether two values are the same where nothing is written between them.
bool is_same(const Value* left, const Value* right) {
  if (left == right) return true;
  const auto* one = dyn_cast_or_null<LoadInst>(left);
  const auto* other = dyn_cast_or_null<LoadInst>(right);
  return one != nullptr && other != nullptr && one->isSimple() && other->isSimple() &&
         one->getPointerOperand() == other->getPointerOperand();
}

/// Whether an output call may be moved behind `instruction` as far as anybody can see. A load that ends the
/// program is no difference: what was put off then is lost anyway.
bool may_be_passed(const Instruction& instruction) {
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) return load->isSimple();
  if (const auto* store = dyn_cast<StoreInst>(&instruction)) {
    const auto* variable = dyn_cast<AllocaInst>(store->getPointerOperand());
    return store->isSimple() && variable != nullptr && isAllocaPromotable(variable);
  }
  if (isa<DbgInfoIntrinsic>(instruction)) return true;
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction); intrinsic != nullptr)
    if (intrinsic->getIntrinsicID() == Intrinsic::lifetime_start) return true;
  return !instruction.isTerminator() && !instruction.mayHaveSideEffects() &&
         !instruction.mayReadFromMemory() && isSafeToSpeculativelyExecute(&instruction);
}

/// Whether the next load of the variable that holds the stream would give another one.
bool changes_stream(const Instruction& instruction, const Output& output) {
  const auto* store = dyn_cast<StoreInst>(&instruction);
  const auto* stream = dyn_cast_or_null<LoadInst>(output.stream);
  return store != nullptr && stream != nullptr && store->getPointerOperand() == stream->getPointerOperand();
}

class Packer {
 public:
  explicit Packer(Module& module) : module_(module), context_(module.getContext()) {}

  bool run() {
    for (Function& function : module_)
      if (!is_of_library(function))
        for (BasicBlock& block : function) pack(block);
    return is_any_;
  }

 private:
  void pack(BasicBlock& block) {
    CallInst* former = nullptr;
    Output joined;
    const auto end = [&] {
      if (former != nullptr) replace(*former, joined);
      former = nullptr;
    };
    for (Instruction& instruction : make_early_inc_range(block)) {
      auto* call = dyn_cast<CallInst>(&instruction);
      std::optional<Output> output = call != nullptr ? output_of(*call) : std::nullopt;
      if (!output) {
        if (former != nullptr && (!may_be_passed(instruction) || changes_stream(instruction, joined))) end();
        continue;
      }
      if (former != nullptr && may_join(joined, *output)) {
        joined.format += output->format;
        append_range(joined.kinds, output->kinds);
        append_range(joined.arguments, output->arguments);
        append_range(joined.names, output->names);
        former->eraseFromParent();
      } else {
        end();
        joined = std::move(*output);
      }
      former = call;
    }
    end();
  }

  static bool may_join(const Output& first, const Output& second) {
    return !no_proxy_opt && !first.is_bytes && !second.is_bytes && is_same(first.stream, second.stream) &&
           first.arguments.size() + second.arguments.size() <= most_arguments &&
           first.format.size() + second.format.size() <= most_format;
  }

  void replace(CallInst& call, const Output& output) {
    IRBuilder<> builder(&call);
    Type* const pointer = PointerType::getUnqual(context_);
    const FunctionCallee request = module_.getOrInsertFunction(
        "taihu_output_call", FunctionType::get(Type::getVoidTy(context_), {pointer, pointer}, true));
    SmallVector<Value*> arguments = {
        description(output), output.stream != nullptr ? output.stream : Constant::getNullValue(pointer)};
    append_range(arguments, output.arguments);
    builder.CreateCall(request, arguments);
    call.eraseFromParent();
    is_any_ = true;
  }

  /// The constant struct taihu_output.
  Constant* description(const Output& output) {
    Type* const pointer = PointerType::getUnqual(context_);
    Type* const number = Type::getInt32Ty(context_);
    SmallVector<Constant*> kinds, names;
    for (const int kind : output.kinds) kinds.push_back(ConstantInt::getSigned(number, kind));
    for (const std::string& name : output.names) names.push_back(text(name));
    const auto count = [&](size_t value) { return ConstantInt::get(number, value); };
    Constant* const fields[] = {
        output.is_bytes ? Constant::getNullValue(pointer) : text(output.format),
        array(number, kinds),
        array(pointer, names),
        count(kinds.size()),
        count(names.size()),
        count(no_proxy_opt ? 1 : 0),
    };
    return variable(ConstantStruct::getAnon(fields), "taihu_output");
  }

  Constant* text(const std::string& value) {
    Constant*& known = texts_[value];
    if (known == nullptr) known = variable(ConstantDataArray::getString(context_, value), "taihu_text");
    return known;
  }

  Constant* array(Type* type, ArrayRef<Constant*> values) {
    if (values.empty()) return Constant::getNullValue(PointerType::getUnqual(context_));
    return variable(ConstantArray::get(ArrayType::get(type, values.size()), values), "taihu_list");
  }

  GlobalVariable* variable(Constant* value, const char* name) {
    auto* made =
        new GlobalVariable(module_, value->getType(), true, GlobalValue::PrivateLinkage, value, name);
    made->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return made;
  }

  Module& module_;
  LLVMContext& context_;
  StringMap<Constant*> texts_;
  bool is_any_ = false;
};

/// Functions of the C library that print nothing and tell nothing of streams, as far as they are known.
bool leaves_streams_alone(const Function& function, const TargetLibraryInfo& library) {
  if (function.isIntrinsic() || !is_of_library(function)) return true;
  const StringRef name = function.getName();
  for (const StringRef own : {"taihu_", "m_", "dma_", "spm_"})
    if (name.starts_with(own)) return true;
  if (name == "get_task_id" || is_proxied(plain_name(name))) return true;  // they wait themselves
  LibFunc known;
  if (!library.getLibFunc(function, known)) return false;
  return StringSwitch<bool>(name)
      .Cases("ferror", "feof", "fileno", "clearerr", "setbuf", "setvbuf", "flockfile", "ftrylockfile", false)
      .Cases("funlockfile", "exit", "abort", "atexit", "fork", "execl", "execv", false)
      .Default(!name.contains("unlocked"));
}

bool uses_locks(const Module& module) {
  for (const char* name : {"flockfile", "ftrylockfile"})
    if (const Function* function = module.getFunction(name); function != nullptr && !function->use_empty())
      return true;
  return false;
}

void wait_before_other_code(Module& module) {
  const TargetLibraryInfoImpl known{Triple(module.getTargetTriple())};
  const TargetLibraryInfo library(known);
  const FunctionCallee fence =
      module.getOrInsertFunction("taihu_output_fence", Type::getVoidTy(module.getContext()));
  for (Function& function : module) {
    if (is_of_library(function)) continue;
    for (Instruction& instruction : make_early_inc_range(instructions(function))) {
      auto* call = dyn_cast<CallBase>(&instruction);
      if (call == nullptr || call->isInlineAsm() || call->doesNotAccessMemory()) continue;
      const Function* callee = call->getCalledFunction();
      if (callee == nullptr ? isa<Function>(call->getCalledOperand())
                            : leaves_streams_alone(*callee, library))
        continue;
      IRBuilder<>(call).CreateCall(fence);
    }
  }
}

}  // namespace

bool pack_output_calls(Module& module) {
  if (uses_locks(module) || !Packer(module).run()) return false;
  wait_before_other_code(module);
  return true;
}

}  // namespace taihu::compiler
