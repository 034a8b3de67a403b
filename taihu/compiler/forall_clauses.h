// SPDX-License-Identifier: Apache-2.0
// The five clauses of a forall as tokens, and what the header says: which variable it counts, towards which
// bound, in which steps. Works on macro-expanded tokens before the parser sees them, so it knows no types;
// those are checked on the syntax tree (forall_rules.h).
#pragma once

#include <llvm/ADT/SmallVector.h>

#include "clang/Lex/Token.h"

namespace clang {
class Preprocessor;
}

namespace taihu::compiler {

using Tokens = llvm::SmallVector<clang::Token, 16>;

enum Clause { INIT, CONDITION, STEP, AFFINITY, SCOPE, CLAUSES };

/// The text between the parentheses of a forall, split at its semicolons.
struct ForallClauses {
  clang::SourceLocation open;
  clang::SourceLocation close;
  llvm::SmallVector<Tokens, CLAUSES> clauses;  ///< as many as were written
  clang::Token after;                          ///< the token that is no '(' when nothing could be read
  bool complete = false;                       ///< both parentheses were found
};

/// Reads "( ... )" from the preprocessor.
ForallClauses lex_clauses(clang::Preprocessor& preprocessor);

enum class Affinity { block, deal, any, integer };

/// What a countable header says. Tokens are the programmer's, each in one place only.
struct CountableHeader {
  clang::Token variable;  ///< a name token of the induction variable
  const char* relation;   ///< an enumerator of parallelc_compiler.h
  Tokens bound;
  Tokens step_amount;  ///< e of `i += e` and `i -= e`; empty for ++ and --
  bool down = false;   ///< -- or -=
};

/// The affinity; `amount` receives n of BLOCK(n). False after an error message.
bool read_affinity(clang::Preprocessor& preprocessor, const ForallClauses& forall, Affinity& affinity,
                   Tokens& amount);

/// Fills `header` from the first three clauses. False after an error message.
bool read_countable(clang::Preprocessor& preprocessor, const ForallClauses& forall, CountableHeader& header);

/// Whether the init clause declares its variable, as in `int i = 0`.
bool declares_variable(const Tokens& init);

/// Checks a scope that is a single CCC_ name; false after an error message. `may_be_array` is set when the
/// scope is CCC_ARRAY or only known at run time.
bool read_scope(clang::Preprocessor& preprocessor, const ForallClauses& forall, bool& may_be_array);

}  // namespace taihu::compiler
