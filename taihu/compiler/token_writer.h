// SPDX-License-Identifier: Apache-2.0
// Collects tokens for the parser: the programmer's own, and generated ones given as text.
#pragma once

#include <string>

#include "llvm/ADT/StringRef.h"
#include "taihu/compiler/forall_clauses.h"

namespace taihu::compiler {

class TokenWriter {
 public:
  explicit TokenWriter(clang::Preprocessor& preprocessor) : preprocessor_(preprocessor) {}

  /// Place of the generated tokens that follow.
  TokenWriter& at(clang::SourceLocation place);
  /// Generated words and punctuation, separated by spaces; the number 0 is the only literal.
  TokenWriter& text(llvm::StringRef text);
  /// A generated integer literal.
  TokenWriter& number(llvm::StringRef digits);
  /// The token that opens a captured region before a compound statement.
  TokenWriter& captured();
  /// Tokens as they are.
  TokenWriter& tokens(const Tokens& tokens);
  TokenWriter& token(const clang::Token& token);

  /// Makes the preprocessor deliver the tokens next. They are not macro-expanded again.
  void enter();

 private:
  void word(llvm::StringRef word);

  clang::Preprocessor& preprocessor_;
  clang::SourceLocation place_;
  llvm::SmallVector<clang::Token, 128> tokens_;
};

}  // namespace taihu::compiler
