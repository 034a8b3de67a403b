// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/assembler_text.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"

namespace taihu::compiler {

namespace {

using std::string;
using std::string_view;

/// Directives after which a name is another one for all of the file.
constexpr std::array<string_view, 15> defining = {
    ".macro",  ".set",  ".equ",       ".equiv",   ".eqv",    ".comm",     ".lcomm",   ".local",
    ".symver", ".weak", ".protected", ".weakref", ".hidden", ".internal", ".altmacro"};

/// Directives that say nothing but that a name is there.
constexpr std::array<string_view, 4> harmless = {".globl", ".global", ".extern", ".ident"};

template <std::size_t N>
bool is_one_of(const string& word, const std::array<string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Letters of names, also of those beyond ASCII.
bool is_in_name(char letter) {
  return llvm::isAlnum(letter) || letter == '_' || letter == '$' || letter == '.' ||
         static_cast<unsigned char>(letter) >= 0x80;
}

bool is_number(const string& word) {
  return std::all_of(word.begin(), word.end(), [](char letter) { return llvm::isDigit(letter); });
}

/// The statements, without white space around them and without lines that are a comment.
std::vector<string> statements_of(const string& text) {
  std::vector<string> statements;
  string statement;
  const auto end = [&] {
    const std::size_t begin = statement.find_first_not_of(" \t\r\f\v");
    if (begin != string::npos && statement[begin] != '#') statements.push_back(statement.substr(begin));
    statement.clear();
  };
  for (const char letter : text) {
    const bool is_comment = statement.find_first_not_of(" \t") != string::npos &&
                            statement[statement.find_first_not_of(" \t")] == '#';
    if (letter == '\n' || (letter == ';' && !is_comment))
      end();
    else
      statement += letter;
  }
  end();
  return statements;
}

/// The name at the begin of `text`, which loses it and the white space behind.
string take_name(string& text) {
  const std::size_t length =
      static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_in_name) - text.begin());
  const string name = text.substr(0, length);
  text = text.substr(std::min(text.find_first_not_of(" \t", length), text.size()));
  return name;
}

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

/// The first name in the text that is static; empty: none.
string static_in(const string& text, const std::set<string>& statics) {
  std::set<string> names;
  add_words(text, names);
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const string& name) { return statics.contains(name); });
  return found == names.end() ? "" : *found;
}

/// Why the text, which stands `where`, cannot be beside others'.
string why_not_of_text(const string& text, const string& where, const std::set<string>& statics) {
  if (const std::set<string> defined = names_defined_in_assembler(text); !defined.empty())
    return "the assembler text" + where + " defines " + *defined.begin();
  const string name = static_in(text, statics);
  return name.empty() ? "" : "the assembler text" + where + " names " + name + ", which is static";
}

bool only_makes_names_known(const string& text) {
  const std::vector<string> statements = statements_of(text);
  return std::all_of(statements.begin(), statements.end(),
                     [](string statement) { return is_one_of(take_name(statement), harmless); });
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
  std::set<string> names;
  add_words(module.getModuleInlineAsm(), names);
  for_each_inline_text(module, [&](const string& text, const llvm::CallBase&) { add_words(text, names); });
  return names;
}

std::set<string> names_defined_in_assembler(const string& text) {
  std::set<string> names;
  for (string statement : statements_of(text)) {
    string word = take_name(statement);
    while (!word.empty() && statement.starts_with(':')) {
      if (!is_number(word)) names.insert(word);
      statement = statement.substr(std::min(statement.find_first_not_of(": \t"), statement.size()));
      word = take_name(statement);
    }
    if (is_one_of(word, defining)) names.insert(take_name(statement));
    if (!word.empty() && statement.starts_with('=') && !statement.starts_with("==")) names.insert(word);
  }
  return names;
}

string why_not_of_assembler(const llvm::Module& module) {
  const string& outside = module.getModuleInlineAsm();
  if (!only_makes_names_known(outside)) return "it has assembler text outside of functions";
  std::set<string> statics;
  for (const llvm::GlobalValue& value : module.global_values())
    if (value.hasLocalLinkage())
      statics.insert(llvm::GlobalValue::dropLLVMManglingEscape(value.getName()).str());
  string problem = why_not_of_text(outside, " outside of functions", statics);
  for_each_inline_text(module, [&](const string& text, const llvm::CallBase& call) {
    if (problem.empty()) problem = why_not_of_text(text, place_of(call), statics);
  });
  return problem;
}

}  // namespace taihu::compiler
