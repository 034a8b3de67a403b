// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/proxied_calls.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "taihu/compiler/names.h"
#include "taihu/compiler/output_packing.h"

namespace taihu::compiler {

using namespace llvm;

namespace {

bool has_kernels(const Module& module) {
  const GlobalVariable* annotations = module.getGlobalVariable("llvm.global.annotations");
  if (annotations == nullptr || !annotations->hasInitializer()) return false;
  for (const Use& entry : annotations->getInitializer()->operands()) {
    const auto* fields = dyn_cast<ConstantStruct>(entry);
    const auto* text =
        fields == nullptr ? nullptr : dyn_cast<GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    const auto* bytes = text == nullptr || !text->hasInitializer()
                            ? nullptr
                            : dyn_cast<ConstantDataSequential>(text->getInitializer());
    if (bytes != nullptr && bytes->isCString() && bytes->getAsCString() == kernel_annotation) return true;
  }
  return false;
}

}  // namespace

StringRef plain_name(StringRef name) {
  name.consume_front("\01");
  if (!name.consume_front("__isoc99_") && !name.consume_front("__isoc23_")) name.consume_front("__");
  name.consume_back("_chk");
  name.consume_back("64");
  name.consume_back("_unlocked");
  return name;
}

bool is_of_library(const Function& function) {
  return function.isDeclaration() || function.hasAvailableExternallyLinkage();
}

bool is_proxied(StringRef name) {
  return StringSwitch<bool>(name)
      .Cases("printf", "fprintf", "vprintf", "vfprintf", "dprintf", "vdprintf", "puts", "fputs", "putchar",
             true)
      .Cases("putc", "fputc", "fwrite", "perror", "scanf", "fscanf", "vscanf", "vfscanf", "getchar", true)
      .Cases("getc", "fgetc", "fgets", "fread", "ungetc", "getline", "getdelim", "fopen", "fdopen", true)
      .Cases("freopen", "fclose", "fflush", "fseek", "ftell", "fseeko", "ftello", "rewind", "remove", true)
      .Cases("rename", "tmpfile", "popen", "pclose", "system", "open", "openat", "creat", "close", true)
      .Cases("read", "write", "pread", "pwrite", "readv", "writev", "lseek", "fsync", "fdatasync", true)
      .Cases("ftruncate", "truncate", "stat", "fstat", "lstat", "access", "unlink", "link", "symlink", true)
      .Cases("mkdir", "rmdir", "chdir", "getcwd", "opendir", "readdir", "closedir", "dup", "dup2", true)
      .Cases("pipe", "poll", "select", "socket", "bind", "listen", "accept", "connect", "send", true)
      .Cases("recv", "sendto", "recvfrom", "mmap", "munmap", "ioctl", "fcntl", "sleep", "usleep", true)
      .Cases("nanosleep", "kill", "waitpid", "getpid", "gethostname", "syscall", true)
      .Cases("ferror", "feof", "clearerr", "fileno", "setbuf", "setvbuf", true)
      .Default(false);
}

bool place_proxied_calls(Module& module, bool has_regions) {
  if (!has_regions && !has_kernels(module)) return false;
  const bool is_packed = pack_output_calls(module);
  SmallVector<std::pair<CallBase*, StringRef>> calls;
  for (Function& function : module) {
    const StringRef name = plain_name(function.getName());
    if (!is_of_library(function) || !is_proxied(name)) continue;
    for (User* user : function.users()) {
      auto* call = dyn_cast<CallBase>(user);
      if (call != nullptr && call->getCalledFunction() == &function && !is_of_library(*call->getFunction()))
        calls.emplace_back(call, name);
    }
  }
  if (calls.empty()) return is_packed;
  LLVMContext& context = module.getContext();
  const FunctionCallee note = module.getOrInsertFunction("taihu_proxied_call", Type::getVoidTy(context),
                                                         PointerType::getUnqual(context));
  StringMap<Constant*> texts;
  for (const auto& [call, name] : calls) {
    IRBuilder<> builder(call);
    Constant*& text = texts[name];
    if (text == nullptr) text = builder.CreateGlobalStringPtr(name, "taihu_proxied");
    builder.CreateCall(note, text);
  }
  return true;
}

}  // namespace taihu::compiler
