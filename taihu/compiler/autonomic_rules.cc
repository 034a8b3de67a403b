// SPDX-License-Identifier: Apache-2.0
// What a source for the autonomic model must not have: its processes are the accelerator threads.
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "taihu/compiler/names.h"
#include "taihu/compiler/rules.h"

namespace taihu::compiler {

using namespace clang;

namespace {

/// The name of something that only programs with kernels have; empty: it is nothing of that kind.
llvm::StringRef name_for_kernels(const NamedDecl& named) {
  if (named.getIdentifier() == nullptr) return {};
  llvm::StringRef name = named.getName();
  if (llvm::isa<EnumConstantDecl>(named)) return name == "CCC_ARRAY" ? name : llvm::StringRef();
  const bool is_checked = name.consume_front("taihu_checked_");  // parallelc.h's own, with --check
  const auto* function = llvm::dyn_cast<FunctionDecl>(&named);
  if (function == nullptr || (!is_checked && (!function->isExternC() || function->hasBody()))) return {};
  const bool is_one = name.starts_with("dma_") || llvm::StringSwitch<bool>(name)
                                                      .Cases("m_run", "m_spawn", "m_join", true)
                                                      .Cases("spm_malloc", "spm_free", "spm_available", true)
                                                      .Default(false);
  return is_one ? name : llvm::StringRef();
}

}  // namespace

void check_autonomic(ASTContext& context, const Decl& declaration) {
  const auto& named = llvm::cast<NamedDecl>(declaration);
  if (has_annotation(&declaration, kernel_annotation))
    Reporter(context).error(
        declaration.getLocation(),
        "kernel %0 in the autonomic model, where the program itself runs on the accelerator "
        "threads; compile it with --model=accelerated")
        << &named;
  if (has_annotation(&declaration, scratchpad_annotation))
    Reporter(context).error(declaration.getLocation(),
                            "__thread_local variable %0 in the autonomic model, where the compiler places "
                            "variables; compile it with --model=accelerated")
        << &named;
}

void check_autonomic_use(ASTContext& context, const DeclRefExpr& use) {
  const llvm::StringRef name = name_for_kernels(*use.getDecl());
  const SourceManager& sources = context.getSourceManager();
  const auto file_of = [&](SourceLocation place) {
    return sources.getFileID(sources.getExpansionLoc(place));
  };
  // parallelc.h itself makes calls of them.
  if (name.empty() || file_of(use.getLocation()) == file_of(use.getDecl()->getLocation())) return;
  Reporter(context).error(
      use.getLocation(),
      "'%0' in the autonomic model, whose processes have no accelerator threads of their own; "
      "compile it with --model=accelerated")
      << name;
}

}  // namespace taihu::compiler
