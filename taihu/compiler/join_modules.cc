// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/join_modules.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/LTO/LTO.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "taihu/base/error.h"
#include "taihu/compiler/loop_facts.h"

namespace taihu::compiler {

namespace {

using std::string;

std::unique_ptr<llvm::Module> module_of(const CodeFile& file, llvm::LLVMContext& context) {
  const llvm::MemoryBufferRef code(file.code, file.place.file);
  auto module = llvm::parseBitcodeFile(code, context);
  if (!module)
    throw Error(title_of(file.place) + ": its intermediate code cannot be read (" +
                llvm::toString(module.takeError()) + "); compile it again");
  return std::move(*module);
}

void add_names_in_assembler(const llvm::Module& module, std::set<string>& names) {
  add_words(module.getModuleInlineAsm(), names);
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
          call != nullptr && call->isInlineAsm())
        add_words(llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString(), names);
}

/// Empty when the object refers to nothing that its code does not. The compiler itself adds calls of known
/// functions and of Taihu's.
string why_not_of_references(const CodeFile& file, const llvm::Module& module,
                             const std::set<string>& assembler) {
  const llvm::Triple triple(module.getTargetTriple());
  const llvm::TargetLibraryInfoImpl library(triple);
  std::set<string> names = assembler;
  for (const llvm::GlobalValue& value : module.global_values())
    names.insert(llvm::GlobalValue::dropLLVMManglingEscape(value.getName()).str());
  for (const char* name : llvm::lto::LTO::getRuntimeLibcallSymbols(triple)) names.insert(name);
  for (const string& name : file.undefined) {
    llvm::LibFunc function;
    const bool is_added = name.starts_with("taihu_") || name.starts_with("__") || name.starts_with("_ZGV") ||
                          name.starts_with("_Unwind_") || name == "_GLOBAL_OFFSET_TABLE_" ||
                          library.getLibFunc(name, function);
    if (!is_added && !names.contains(name)) return "its object refers to " + name;
  }
  return "";
}

/// The joined code may rename what is local to a file, which text for the assembler cannot follow.
string why_not_of_assembler(const llvm::Module& module, const std::set<string>& assembler) {
  for (const llvm::GlobalValue& value : module.global_values())
    if (value.hasLocalLinkage() && assembler.contains(value.getName().str()))
      return "its assembler text names " + value.getName().str() + ", which is static";
  return "";
}

/// Empty when the object defines what its code does: then nothing was added to it, taken away or renamed.
string why_not_of_object(const CodeFile& file, const llvm::Module& module) {
  std::set<string> names;
  for (const llvm::GlobalValue& value : module.global_values()) {
    if (value.isDeclaration() || value.hasAvailableExternallyLinkage() || value.hasLocalLinkage()) continue;
    const string name =
        value.getName().starts_with("\1") ? value.getName().substr(1).str() : value.getName().str();
    names.insert(name);
    const bool may_be_left_out = value.isDiscardableIfUnused() || name.starts_with("llvm.");
    if (!may_be_left_out && !file.defined.contains(name)) return "its object does not define " + name;
  }
  // Names in assembler are not in the module's list.
  if (!module.getModuleInlineAsm().empty()) return "";
  for (const string& name : file.defined)
    if (!names.contains(name) && !name.starts_with("taihu_") && !name.starts_with("DW.ref.") &&
        !name.starts_with("__"))
      return "its object also defines " + name;
  return "";
}

/// Names that files which are not joined, the linker or later passes refer to.
std::set<string> names_for_others(const llvm::Module& module, const std::vector<CodeFile>& files,
                                  const std::set<string>& kept) {
  std::set<string> names = kept;
  names.insert("main");
  for (const CodeFile& file : files) {
    if (is_joined(file)) continue;
    names.insert(file.undefined.begin(), file.undefined.end());
    if (file.is_object) names.insert(file.defined.begin(), file.defined.end());
  }
  for (const char* name : llvm::lto::LTO::getRuntimeLibcallSymbols(llvm::Triple(module.getTargetTriple())))
    names.insert(name);
  add_names_in_assembler(module, names);
  return names;
}

void make_static(llvm::Module& module, const std::vector<CodeFile>& files, const std::set<string>& kept) {
  const std::set<string> names = names_for_others(module, files, kept);
  const llvm::TargetLibraryInfoImpl library(llvm::Triple(module.getTargetTriple()));
  llvm::internalizeModule(module, [&](const llvm::GlobalValue& value) {
    llvm::LibFunc function;
    // What lies in a section of its own may be found by the section's ends. A function of the C library's
    // name may be called where the optimiser puts calls of that.
    return value.hasSection() || names.contains(value.getName().str()) ||
           library.getLibFunc(value.getName(), function);
  });
}

}  // namespace

void check_code(std::vector<CodeFile>& files, const string& version) {
  for (CodeFile& file : files) {
    if (file.code.empty() || !file.problem.empty()) continue;
    const string own = version_of(file.options);
    if (own != version) {
      file.problem = "parcc " + (own.empty() ? string("of unknown version") : own) +
                     " has compiled it, and this is " + version;
      continue;
    }
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = module_of(file, context);
    file.source = module->getSourceFileName();
    std::set<string> assembler;
    add_names_in_assembler(*module, assembler);
    file.problem = why_not_of_object(file, *module);
    if (file.problem.empty()) file.problem = why_not_of_references(file, *module, assembler);
    if (file.problem.empty()) file.problem = why_not_of_assembler(*module, assembler);
  }
}

std::unique_ptr<llvm::Module> join_modules(llvm::LLVMContext& context, const std::vector<CodeFile>& files,
                                           const string& name, const std::set<string>& kept,
                                           bool keeps_exports) {
  string said;
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* information, void* text) {
        if (information->getSeverity() != llvm::DS_Error) return;
        llvm::raw_string_ostream stream(*static_cast<string*>(text));
        llvm::DiagnosticPrinterRawOStream printer(stream);
        information->print(printer);
      },
      &said);
  auto joined = std::make_unique<llvm::Module>(name, context);
  llvm::Linker linker(*joined);
  for (const CodeFile& file : files)
    if (is_joined(file) && linker.linkInModule(module_of(file, context)))
      throw Error(title_of(file.place) + ": does not fit the other files (" + said + ")");
  context.setDiagnosticHandlerCallBack(nullptr);
  joined->getOrInsertNamedMetadata(program_metadata);
  if (!keeps_exports) make_static(*joined, files, kept);
  return joined;
}

}  // namespace taihu::compiler
