// SPDX-License-Identifier: Apache-2.0
// Reads the tokens of one complete statement from the preprocessor, before the parser sees them, so that a
// statement can be wrapped in others. Follows the grammar of statements only; everything else is balanced
// brackets.
#pragma once

#include "taihu/compiler/forall_clauses.h"

namespace taihu::compiler {

/// The tokens of a statement, and the one behind it where it had to be read to know the end (an `if` without
/// `else`).
class StatementLexer {
 public:
  explicit StatementLexer(clang::Preprocessor& preprocessor) : preprocessor_(preprocessor) {}

  /// Reads one statement. Stops early at the end of the file or at a bracket that closes nothing; the parser
  /// then finds the same error.
  void read_statement();

  const Tokens& tokens() const { return tokens_; }
  /// The token to hand back behind the statement; null when none was read.
  const clang::Token* rest() const { return has_next_ ? &next_ : nullptr; }

 private:
  const clang::Token& peek();
  void take();
  bool take_if(clang::tok::TokenKind kind);
  void take_balanced();
  void take_parentheses();
  void take_to_semicolon();
  bool take_label();
  void take_prefixes();

  clang::Preprocessor& preprocessor_;
  Tokens tokens_;
  clang::Token next_;
  bool has_next_ = false;
};

}  // namespace taihu::compiler
