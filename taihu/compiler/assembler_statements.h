// SPDX-License-Identifier: Apache-2.0
// What text for the assembler says of names, as far as it can be told without knowing the instructions.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace taihu::compiler {

struct AssemblerStatements {
  std::vector<std::string> texts;  ///< without comments and white space before them
  std::string odd;                 ///< where the text cannot be told into statements; empty: nowhere
};

/// `hash_is_comment`: what stands behind # is one everywhere, not only behind the begin of a line. So it is
/// on x86; others have it before numbers.
AssemblerStatements statements_of(const std::string& text, bool hash_is_comment);

struct AssemblerNames {
  std::set<std::string> defined;   ///< for all of the file, without numbers of local labels
  std::set<std::string> referred;  ///< whatever may be the name of something
  std::string odd;                 ///< a statement of which it cannot be told what it defines; empty: none
};

AssemblerNames names_of(const AssemblerStatements& statements);

/// The text of a function, as intermediate code has it, without escapes: "{}" for operands, and for the
/// numbers that %= makes.
std::string without_operands(const std::string& text);

/// Takes the letters of a name from the begin of `text`, and white space behind it.
std::string take_name(std::string& text);

/// Letters of names, also of those beyond ASCII.
bool is_in_name(char letter);

}  // namespace taihu::compiler
