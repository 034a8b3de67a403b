// SPDX-License-Identifier: Apache-2.0
// Finds a forall again in the syntax tree, from the names and the shape that forall_pragma.cc gives its
// loops.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/StmtCXX.h"

namespace taihu::compiler {

/// One forall.
struct ForallTree {
  clang::SourceLocation place;               ///< of the word forall
  const clang::Expr* scope = nullptr;        ///< the programmer's expression
  const clang::CallExpr* divider = nullptr;  ///< taihu_forall_block, _deal, _any or _mine
  const clang::ForStmt* header = nullptr;    ///< the loop with the programmer's init
  const clang::Stmt* body = nullptr;         ///< the programmer's statement
  bool region = false;                       ///< runs through taihu_region_run
  bool countable = false;
};

/// Fills `forall` when `statement` is the outermost loop of one.
bool match_forall(const clang::Stmt& statement, ForallTree& forall);

/// Name of the function that `call` calls; empty when it is not known.
llvm::StringRef called_name(const clang::CallExpr& call);

/// The value of an integer constant expression.
bool constant_value(const clang::Expr& expression, const clang::ASTContext& context, llvm::APSInt& value);

}  // namespace taihu::compiler
