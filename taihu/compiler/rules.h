// SPDX-License-Identifier: Apache-2.0
// The rules of the language that need the syntax tree. Each reports at the programmer's own place.
#pragma once

#include <cstdint>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"

namespace taihu::compiler {

/// Settings of the plugin, from -fplugin-arg-parallelc-NAME=VALUE.
struct PluginSettings {
  std::uint64_t scratchpad_bytes = 64 * 1024;  ///< spm=BYTES
  bool check = false;                          ///< check
  bool autonomic = false;                      ///< autonomic
};

/// Error and note messages with a fixed text.
class Reporter {
 public:
  explicit Reporter(clang::ASTContext& context) : diagnostics_(context.getDiagnostics()) {}

  template <unsigned N>
  clang::DiagnosticBuilder error(clang::SourceLocation place, const char (&text)[N]) {
    return diagnostics_.Report(place, diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Error, text));
  }
  template <unsigned N>
  clang::DiagnosticBuilder note(clang::SourceLocation place, const char (&text)[N]) {
    return diagnostics_.Report(place, diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Note, text));
  }

 private:
  clang::DiagnosticsEngine& diagnostics_;
};

/// Checks the foralls of one function: what may leave or enter a body, nesting, types and constants of the
/// header.
void check_foralls(clang::ASTContext& context, clang::FunctionDecl& function);

/// Refuses what a program of the autonomic model has no use for: kernels, CCC_ARRAY, scratchpads and
/// transfers. For each declaration, and each use of one.
void check_autonomic(clang::ASTContext& context, const clang::Decl& declaration);
void check_autonomic_use(clang::ASTContext& context, const clang::DeclRefExpr& use);

/// Checks shared and scratchpad variables and gives them their sections.
class VariableRules {
 public:
  VariableRules(clang::ASTContext& context, PluginSettings settings)
      : context_(context), settings_(settings) {}

  /// A variable at any scope; uses of it come later.
  void declare(clang::VarDecl& variable);

  /// At the end of the translation unit: whether the scratchpad variables fit.
  void check_capacity();

 private:
  void check_shared(clang::VarDecl& variable, llvm::StringRef word);
  void check_initialiser(clang::VarDecl& variable);

  clang::ASTContext& context_;
  PluginSettings settings_;
  llvm::SmallVector<clang::VarDecl*, 8> scratchpad_;
  unsigned sections_ = 0;
};

}  // namespace taihu::compiler
