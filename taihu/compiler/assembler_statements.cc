// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/assembler_statements.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace taihu::compiler {

namespace {

using std::string;
using std::string_view;

constexpr char white_space[] = " \t\r\f\v";

/// Directives after which a name is another one for all of the file.
constexpr std::array<string_view, 19> defining = {
    ".macro",     ".set",       ".equ",        ".equiv",     ".eqv",     ".comm",   ".lcomm",
    ".local",     ".symver",    ".weak",       ".protected", ".weakref", ".hidden", ".internal",
    ".thumb_set", ".largecomm", ".tls_common", ".type",      ".size"};

/// Directives that change what other statements mean, ask what other files may define, or read what may not
/// be there when the program is linked.
constexpr std::array<string_view, 8> changing = {".include", ".incbin", ".altmacro", ".noaltmacro",
                                                 ".end",     ".ifdef",  ".ifndef",   ".ifnotdef"};

/// Words of the x86 assembler before an instruction.
constexpr std::array<string_view, 24> prefixes = {
    "lock",   "rep",    "repe",    "repz", "repne", "repnz", "data16",   "data32",
    "addr16", "addr32", "notrack", "bnd",  "rex",   "rex64", "xacquire", "xrelease",
    "cs",     "ds",     "es",      "fs",   "gs",    "ss",    "wait",     "rex.w"};

template <std::size_t N>
bool is_one_of(const string& word, const std::array<string_view, N>& words) {
  return std::find(words.begin(), words.end(), llvm::StringRef(word).lower()) != words.end();
}

bool is_number(const string& word) {
  return std::all_of(word.begin(), word.end(), [](char letter) { return llvm::isDigit(letter); });
}

/// Where what begins at `begin` ends: a string, a letter in quotes, a comment. npos: nowhere.
std::size_t end_of_string(const string& text, std::size_t begin) {
  for (std::size_t k = begin + 1; k < text.size() && text[k] != '\n'; ++k) {
    if (text[k] == '"') return k + 1;
    if (text[k] == '\\') ++k;
  }
  return string::npos;
}

/// 'a', 'a and '\n'.
std::size_t end_of_letter(const string& text, std::size_t begin) {
  const std::size_t end = begin + (text.compare(begin, 2, "'\\") == 0 ? 3 : 2);
  if (end > text.size() || text[end - 1] == '\n') return string::npos;
  return end < text.size() && text[end] == '\'' ? end + 1 : end;
}

std::size_t end_of_line(const string& text, std::size_t begin) {
  return std::min(text.find('\n', begin), text.size());
}

std::size_t end_of_comment(const string& text, std::size_t begin) {
  const std::size_t end = text.find("*/", begin + 2);
  return end == string::npos ? end : end + 2;
}

class Splitter {
 public:
  Splitter(const string& text, bool hash_is_comment) : text_(text), hash_is_comment_(hash_is_comment) {}

  AssemblerStatements split() {
    while (at_ < text_.size() && statements_.odd.empty()) step();
    end();
    return std::move(statements_);
  }

 private:
  bool begins(const char* word) const { return text_.compare(at_, string_view(word).size(), word) == 0; }
  bool is_blank() const { return statement_.find_first_not_of(white_space) == string::npos; }
  bool is_line_comment() const {
    return begins("//") || (begins("#") && (hash_is_comment_ || (is_blank() && is_first_)));
  }

  void step() {
    const char letter = text_[at_];
    if (begins("/*")) {
      skip(end_of_comment(text_, at_));
    } else if (is_line_comment()) {
      at_ = end_of_line(text_, at_);
    } else if (letter == '\n' || letter == ';') {
      end();
      is_first_ = letter == '\n';
      ++at_;
    } else if (letter == '"') {
      keep(end_of_string(text_, at_));
    } else if (letter == '\'') {
      skip(end_of_letter(text_, at_));
    } else {
      // Parameters of macros and repetitions, which may make names.
      if (letter == '\\') statements_.odd = text_.substr(at_);
      statement_ += letter;
      ++at_;
    }
  }

  /// What separates words and is none.
  void skip(std::size_t end) {
    if (end == string::npos) statements_.odd = text_.substr(at_);
    statement_ += ' ';
    at_ = end;
  }

  void keep(std::size_t end) {
    if (end == string::npos)
      statements_.odd = text_.substr(at_);
    else
      statement_ += text_.substr(at_, end - at_);
    at_ = end;
  }

  void end() {
    if (!is_blank())
      statements_.texts.push_back(statement_.substr(statement_.find_first_not_of(white_space)));
    statement_.clear();
  }

  const string& text_;
  const bool hash_is_comment_;
  std::size_t at_ = 0;
  bool is_first_ = true;  ///< no other statement is before this one in its line
  string statement_;
  AssemblerStatements statements_;
};

/// Words behind the first one that may be names: no registers ("%eax") and no kinds of references ("@PLT").
void add_operands(const string& text, std::set<string>& names) {
  for (std::size_t k = 0; k < text.size();) {
    if (text[k] == '"') {
      const std::size_t end = std::min(end_of_string(text, k), text.size() + 1);
      names.insert(text.substr(k + 1, end - k - 2));
    }
    const std::size_t end = static_cast<std::size_t>(
        std::find_if_not(text.begin() + static_cast<std::ptrdiff_t>(k), text.end(), is_in_name) -
        text.begin());
    const char before = k == 0 ? ' ' : text[k - 1], two_before = k < 2 ? ' ' : text[k - 2];
    const bool is_register = before == '%' && !is_in_name(two_before) && two_before != ')';
    if (const string word = text.substr(k, end - k); !word.empty() && before != '@' && !is_register) {
      // "$name" is the address of a name.
      const std::size_t begin = word.find_first_not_of('$');
      if (begin != string::npos) names.insert({word, word.substr(begin)});
    }
    k = end + 1;
  }
}

bool begins_like_a_statement(const string& text) {
  return llvm::isAlnum(text.front()) || text.front() == '_' || text.front() == '.';
}

void read_statement(string statement, AssemblerNames& names) {
  const string whole = statement;
  string word;
  do {
    if (!statement.empty() && !begins_like_a_statement(statement)) names.odd = whole;
    word = take_name(statement);
    if (word.empty() || !statement.starts_with(':')) break;
    if (!is_number(word)) names.defined.insert(word);
    statement = statement.substr(std::min(statement.find_first_not_of(": \t"), statement.size()));
  } while (true);
  string rest = statement;
  const string second = take_name(rest);
  if (is_one_of(word, changing)) names.odd = whole;
  if (is_one_of(word, defining)) names.defined.insert(second.empty() ? word : second);
  if (!word.empty() && ((statement.starts_with('=') && !statement.starts_with("==")) ||
                        is_one_of(second, std::array{string_view(".req")})))
    names.defined.insert(word);
  while (is_one_of(word, prefixes)) word = take_name(statement);
  add_operands(statement, names.referred);
}

}  // namespace

bool is_in_name(char letter) {
  return llvm::isAlnum(letter) || letter == '_' || letter == '$' || letter == '.' ||
         static_cast<unsigned char>(letter) >= 0x80;
}

string take_name(string& text) {
  const std::size_t length =
      static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_in_name) - text.begin());
  const string name = text.substr(0, length);
  text = text.substr(std::min(text.find_first_not_of(white_space, length), text.size()));
  return name;
}

AssemblerStatements statements_of(const string& text, bool hash_is_comment) {
  return Splitter(text, hash_is_comment).split();
}

AssemblerNames names_of(const AssemblerStatements& statements) {
  AssemblerNames names;
  for (const string& statement : statements.texts) read_statement(statement, names);
  if (names.odd.empty()) names.odd = statements.odd;
  return names;
}

string without_operands(const string& text) {
  string plain;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char next = k + 1 < text.size() ? text[k + 1] : ' ';
    if (text[k] != '$') {
      plain += text[k];
    } else if (llvm::isDigit(next)) {
      plain += "{}";
      while (k + 1 < text.size() && llvm::isDigit(text[k + 1])) ++k;
    } else if (next == '{') {
      plain += "{}";
      k = std::min(text.find('}', k), text.size());
    } else {
      // Between these is what differs by syntax.
      plain += next == '(' ? '{' : next == ')' ? '}' : next;
      ++k;
    }
  }
  return plain;
}

}  // namespace taihu::compiler
