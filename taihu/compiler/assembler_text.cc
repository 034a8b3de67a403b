// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/assembler_text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/TargetParser/Triple.h"
#include "taihu/compiler/assembler_statements.h"
#include "taihu/compiler/constructor_sections.h"

namespace taihu::compiler {

namespace {

using std::string;
using std::string_view;

/// Directives that say nothing but that a name is there.
constexpr std::array<string_view, 4> harmless = {".globl", ".global", ".extern", ".ident"};

template <typename Use>
void for_each_inline_text(const llvm::Module& module, Use use) {
  for (const llvm::Function& function : module)
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
          call != nullptr && call->isInlineAsm())
        use(llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString(), *call);
}

/// " at file.c:7"; empty where the compiler was told to forget that.
string place_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* const place = instruction.getDebugLoc();
  if (place == nullptr) return "";
  return " at " + place->getFilename().str() + ":" + std::to_string(place->getLine());
}

/// On others # stands before numbers.
bool hash_is_comment(const llvm::Module& module) {
  return llvm::Triple(module.getTargetTriple()).isX86();
}

/// Why the text, which stands `where`, cannot be beside others'.
string why_not_of_text(const AssemblerNames& names, const string& where, const std::set<string>& statics) {
  const string text = "the assembler text" + where;
  if (!names.defined.empty()) return text + " defines " + *names.defined.begin();
  if (!names.odd.empty())
    return text + " has what parcc cannot read: " + names.odd.substr(0, names.odd.find('\n'));
  for (const string& name : names.referred)
    if (is_for_constructors(name)) return text + " writes to " + name;
  for (const string& name : names.referred)
    if (statics.contains(name)) return text + " names " + name + ", which is static";
  return "";
}

bool only_makes_names_known(const AssemblerStatements& statements) {
  return statements.odd.empty() &&
         std::all_of(statements.texts.begin(), statements.texts.end(), [](string statement) {
           return std::find(harmless.begin(), harmless.end(), take_name(statement)) != harmless.end();
         });
}

}  // namespace

void add_words(const string& text, std::set<string>& names) {
  string word;
  for (const char letter : text + " ") {
    if (is_in_name(letter)) {
      word += letter;
      continue;
    }
    if (!word.empty()) names.insert(word);
    // "$name" is the address of a name.
    if (const std::size_t begin = word.find_first_not_of('$'); begin != 0 && begin != string::npos)
      names.insert(word.substr(begin));
    word.clear();
  }
}

std::set<string> names_in_assembler(const llvm::Module& module) {
  std::set<string> all;
  const auto add = [&](const string& text) {
    AssemblerNames names = names_of(statements_of(text, hash_is_comment(module)));
    all.merge(names.referred);
    all.merge(names.defined);
  };
  add(module.getModuleInlineAsm());
  for_each_inline_text(module,
                       [&](const string& text, const llvm::CallBase&) { add(without_operands(text)); });
  return all;
}

string why_not_of_assembler(const llvm::Module& module) {
  const AssemblerStatements outside = statements_of(module.getModuleInlineAsm(), hash_is_comment(module));
  if (!only_makes_names_known(outside)) return "it has assembler text outside of functions";
  std::set<string> statics;
  for (const llvm::GlobalValue& value : module.global_values())
    if (value.hasLocalLinkage())
      statics.insert(llvm::GlobalValue::dropLLVMManglingEscape(value.getName()).str());
  string problem = why_not_of_text(names_of(outside), " outside of functions", statics);
  for_each_inline_text(module, [&](const string& text, const llvm::CallBase& call) {
    if (!problem.empty()) return;
    const AssemblerStatements statements = statements_of(without_operands(text), hash_is_comment(module));
    problem = why_not_of_text(names_of(statements), place_of(call), statics);
  });
  return problem;
}

}  // namespace taihu::compiler
