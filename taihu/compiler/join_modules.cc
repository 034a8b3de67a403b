// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/join_modules.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/LTO/LTO.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "taihu/base/error.h"
#include "taihu/compiler/added_names.h"
#include "taihu/compiler/assembler_text.h"
#include "taihu/compiler/constructor_sections.h"
#include "taihu/compiler/loop_facts.h"

namespace taihu::compiler {

namespace {

using std::string;

string name_of(const llvm::GlobalValue& value) {
  return llvm::GlobalValue::dropLLVMManglingEscape(value.getName()).str();
}

std::unique_ptr<llvm::Module> module_of(const CodeFile& file, llvm::LLVMContext& context) {
  const llvm::MemoryBufferRef code(file.code, file.place.file);
  auto module = llvm::parseBitcodeFile(code, context);
  if (!module)
    throw Error(title_of(file.place) + ": its intermediate code cannot be read (" +
                llvm::toString(module.takeError()) + "); compile it again");
  return std::move(*module);
}

/// Empty when the object refers to what its code does and to nothing else. The compiler itself adds calls of
/// known functions and of Taihu's; others, as those that count for gcov, it would not add to the joined code.
string why_not_of_references(const CodeFile& file, const llvm::Module& module) {
  if (!file.tells_names) return "it does not tell to which names its code refers; compile it again";
  std::set<string> names = file.assembler;
  for (const llvm::GlobalValue& value : module.global_values()) names.insert(name_of(value));
  // What the compiler makes of instructions.
  names.insert({"memcpy", "memset", "memcmp", "bcmp", "fmod", "fmodf", "fmodl"});
  names.insert(file.possible.begin(), file.possible.end());
  const llvm::Triple triple(module.getTargetTriple());
  for (const llvm::StringRef name : llvm::lto::LTO::getRuntimeLibcallSymbols(triple))
    if (name.starts_with("__")) names.insert(name.str());
  const llvm::TargetLibraryInfoImpl library(triple);
  for (const string& name : file.undefined) {
    llvm::LibFunc function;
    const bool is_added = may_be_added(name) || name.starts_with("taihu_") || name.starts_with("_ZGV") ||
                          name.starts_with("_Unwind_") || name == "_GLOBAL_OFFSET_TABLE_" ||
                          (file.certain.contains(name) && library.getLibFunc(name, function));
    if (!is_added && !names.contains(name)) return "its object refers to " + name;
  }
  for (const string& name : file.certain)
    if (!file.undefined.contains(name) && !file.defined.contains(name))
      return "its object does not refer to " + name;
  return "";
}

/// Whether the object has a weak name for it.
bool may_give_way(const llvm::GlobalValue& value) {
  return value.isWeakForLinker() && !value.hasCommonLinkage();
}

/// Empty when no variable is in a list of constructors by its section: those of all joined files would stand
/// before all functions that are constructors by their attribute.
string why_not_of_lists(const llvm::Module& module) {
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.hasSection() && is_for_constructors(std::string_view(variable.getSection())))
      return name_of(variable) + " is in the section " + variable.getSection().str();
  return "";
}

/// Empty when the object defines what its code does: then nothing was added to it, taken away or renamed.
string why_not_of_object(const CodeFile& file, const llvm::Module& module) {
  std::set<string> names;
  for (const llvm::GlobalValue& value : module.global_values()) {
    if (value.isDeclaration() || value.hasAvailableExternallyLinkage() || value.hasLocalLinkage()) continue;
    const string name = name_of(value);
    names.insert(name);
    const bool may_be_left_out = value.isDiscardableIfUnused() || name.starts_with("llvm.");
    if (!may_be_left_out && !file.defined.contains(name)) return "its object does not define " + name;
    if (file.defined.contains(name) && file.weak.contains(name) != may_give_way(value))
      return "its object and its code differ in whether " + name + " is weak";
  }
  for (const string& name : file.defined)
    if (!names.contains(name) && !name.starts_with("taihu_") && !name.starts_with("DW.ref.") &&
        !may_be_added(name))
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
  names.merge(names_in_assembler(module));
  return names;
}

void make_static(llvm::Module& module, const std::vector<CodeFile>& files, const std::set<string>& kept,
                 const std::set<string>& constructors) {
  const std::set<string> names = names_for_others(module, files, kept);
  for (const string& name : constructors)
    if (llvm::Function* const function = module.getFunction(name);
        function != nullptr && !names.contains(name))
      function->addFnAttr(constructor_attribute);
  const llvm::TargetLibraryInfoImpl library(llvm::Triple(module.getTargetTriple()));
  llvm::internalizeModule(module, [&](const llvm::GlobalValue& value) {
    llvm::LibFunc function;
    // What lies in a section of its own may be found by the section's ends. A function of the C library's
    // name may be called where the optimiser puts calls of that.
    return value.hasSection() || names.contains(name_of(value)) || constructors.contains(name_of(value)) ||
           library.getLibFunc(value.getName(), function);
  });
}

/// For reports.
void keep_name(llvm::GlobalValue& value) {
  auto* const object = llvm::dyn_cast<llvm::GlobalObject>(&value);
  if (object == nullptr || !object->hasInternalLinkage() || object->hasMetadata(name_metadata)) return;
  llvm::LLVMContext& context = value.getContext();
  object->setMetadata(name_metadata,
                      llvm::MDNode::get(context, llvm::MDString::get(context, value.getName())));
}

/// Another name for what is static and of the same name as something in the assembler text of another file,
/// which would get it instead.
void rename_statics(llvm::Module& module, const std::set<string>& assembler) {
  for (llvm::GlobalValue& value : module.global_values()) {
    if (!value.hasLocalLinkage() || !assembler.contains(name_of(value))) continue;
    keep_name(value);
    value.setName(value.getName() + ".static");
  }
}

/// Moves the functions of the list, with their order of priority, to the one that `append` lengthens. Static
/// ones get another name with `ending`. Adds their names to `names`, for they must stay.
void move_list(llvm::GlobalVariable* list, llvm::Module& to, const string& ending, std::set<string>& names,
               void (*append)(llvm::Module&, llvm::Function*, int, llvm::Constant*)) {
  if (list == nullptr) return;
  for (const llvm::Use& element : list->getInitializer()->operands()) {
    const auto* const one = llvm::cast<llvm::ConstantStruct>(element);
    auto* const function = llvm::dyn_cast<llvm::Function>(one->getOperand(1)->stripPointerCasts());
    if (function == nullptr) continue;
    if (function->hasLocalLinkage()) {
      keep_name(*function);
      function->setName(name_of(*function) + ending);
      function->setLinkage(llvm::GlobalValue::ExternalLinkage);
      function->setVisibility(llvm::GlobalValue::HiddenVisibility);
      function->addFnAttr(constructor_attribute);
    }
    names.insert(name_of(*function));
    auto* const other = llvm::cast<llvm::Function>(
        to.getOrInsertFunction(function->getName(), function->getFunctionType()).getCallee());
    other->setVisibility(function->getVisibility());
    const auto* const priority = llvm::cast<llvm::ConstantInt>(one->getOperand(0));
    append(to, other, static_cast<int>(priority->getZExtValue()), nullptr);
  }
  list->eraseFromParent();
}

/// The code of an object that has the module's lists of constructors and destructors; empty where it has
/// none.
string take_constructors(llvm::Module& module, const string& ending, std::set<string>& names) {
  llvm::Module lists(module.getModuleIdentifier(), module.getContext());
  lists.setSourceFileName(module.getSourceFileName());
  lists.setTargetTriple(module.getTargetTriple());
  lists.setDataLayout(module.getDataLayout());
  move_list(module.getGlobalVariable("llvm.global_ctors"), lists, ending, names, llvm::appendToGlobalCtors);
  move_list(module.getGlobalVariable("llvm.global_dtors"), lists, ending, names, llvm::appendToGlobalDtors);
  if (lists.empty()) return "";
  string code;
  llvm::raw_string_ostream stream(code);
  llvm::WriteBitcodeToFile(lists, stream);
  return stream.str();
}

/// Keeps the names of statics that get another one when `module` is added to `joined`.
void keep_names(llvm::Module& joined, llvm::Module& module) {
  for (llvm::GlobalValue& value : module.global_values())
    if (llvm::GlobalValue* const other = joined.getNamedValue(value.getName()); other != nullptr)
      keep_name(value.hasLocalLinkage() ? value : *other);
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
    if (are_of_several(file.options)) {
      file.problem = "ld -r made it of several objects";
      continue;
    }
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = module_of(file, context);
    file.source = module->getSourceFileName();
    file.assembler = names_in_assembler(*module);
    file.problem = why_not_of_assembler(*module);
    if (file.problem.empty()) file.problem = why_not_of_lists(*module);
    if (file.problem.empty()) file.problem = why_not_of_object(file, *module);
    if (file.problem.empty()) file.problem = why_not_of_references(file, *module);
    if (file.problem.empty() && !file.is_as_compiled)
      file.problem =
          "strip, objcopy or ld -r has written its object anew, or it was compiled with -fno-addrsig";
  }
}

std::unique_ptr<llvm::Module> join_modules(llvm::LLVMContext& context, std::vector<CodeFile>& files,
                                           const string& name, const std::set<string>& kept,
                                           bool keeps_exports) {
  string said;
  std::set<string> constructors;
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
  std::set<string> assembler;
  for (const CodeFile& file : files)
    if (is_joined(file)) assembler.insert(file.assembler.begin(), file.assembler.end());
  for (CodeFile& file : files) {
    if (!is_joined(file)) continue;
    // The object tells it. The program's name would make its bytes depend on where it is written.
    if (joined->getSourceFileName() == name) joined->setSourceFileName(file.source);
    std::unique_ptr<llvm::Module> module = module_of(file, context);
    rename_statics(*module, assembler);
    if (!file.before_constructors.file.empty())
      file.constructors =
          take_constructors(*module, ".constructor" + std::to_string(&file - files.data()), constructors);
    keep_names(*joined, *module);
    if (linker.linkInModule(std::move(module)))
      throw Error(title_of(file) + ": does not fit the other files (" + said + ")");
  }
  context.setDiagnosticHandlerCallBack(nullptr);
  joined->getOrInsertNamedMetadata(program_metadata)
      ->addOperand(llvm::MDNode::get(context, llvm::MDString::get(context, name)));
  if (!keeps_exports) make_static(*joined, files, kept, constructors);
  return joined;
}

}  // namespace taihu::compiler
