// SPDX-License-Identifier: Apache-2.0
// The attributes behind node_shared, bnode_shared, __thread_local and __kernel. Each becomes an annotation on
// the declaration, which redeclarations inherit and precompiled headers keep; forall_rules and variable_rules
// read them.
#include "clang/AST/ASTContext.h"
#include "clang/Sema/ParsedAttr.h"
#include "clang/Sema/Sema.h"
#include "taihu/compiler/names.h"

namespace taihu::compiler {

using namespace clang;

namespace {

template <unsigned N>
DiagnosticBuilder error(Sema& sema, SourceLocation place, const char (&text)[N]) {
  return sema.Diags.Report(place, sema.Diags.getCustomDiagID(DiagnosticsEngine::Error, text));
}

void annotate(Sema& sema, Decl* declaration, const ParsedAttr& attribute, llvm::StringRef annotation) {
  if (has_annotation(declaration, annotation)) return;
  declaration->addAttr(AnnotateAttr::Create(sema.Context, annotation, nullptr, 0, attribute));
}

/// An attribute of variables that live as long as the program.
class VariableAttribute : public ParsedAttrInfo {
 public:
  VariableAttribute(const Spelling* spelling, const char* annotation, const char* written)
      : annotation_(annotation), written_(written) {
    Spellings = llvm::ArrayRef<Spelling>(spelling, 1);
  }

  AttrHandling handleDeclAttribute(Sema& sema, Decl* declaration,
                                   const ParsedAttr& attribute) const override {
    const auto* variable = llvm::dyn_cast<VarDecl>(declaration);
    if (variable == nullptr || llvm::isa<ParmVarDecl>(declaration) || variable->hasLocalStorage()) {
      error(sema, declaration->getLocation(), "'%0' applies only to file-scope and static variables")
          << written_;
      return AttributeNotApplied;
    }
    if (variable->getTSCSpec() != TSCS_unspecified) {
      error(sema, declaration->getLocation(), "'%0' cannot be combined with a thread-local storage class")
          << written_;
      return AttributeNotApplied;
    }
    for (const char* other : {node_shared_annotation, bnode_shared_annotation, scratchpad_annotation}) {
      if (llvm::StringRef(other) == annotation_ || !has_annotation(declaration, other)) continue;
      error(sema, declaration->getLocation(), "'%0' cannot be combined with '%1' on one variable")
          << written_ << (llvm::StringRef(other) == scratchpad_annotation ? "__thread_local" : other);
      return AttributeNotApplied;
    }
    annotate(sema, declaration, attribute, annotation_);
    return AttributeApplied;
  }

 private:
  const char* annotation_;
  const char* written_;
};

constexpr ParsedAttrInfo::Spelling node_shared_spelling = {ParsedAttr::AS_GNU, "node_shared"};
constexpr ParsedAttrInfo::Spelling bnode_shared_spelling = {ParsedAttr::AS_GNU, "bnode_shared"};
constexpr ParsedAttrInfo::Spelling scratchpad_spelling = {ParsedAttr::AS_GNU, "scratchpad"};
constexpr ParsedAttrInfo::Spelling kernel_spelling = {ParsedAttr::AS_GNU, "parallelc_kernel"};

struct NodeShared : VariableAttribute {
  NodeShared() : VariableAttribute(&node_shared_spelling, node_shared_annotation, "node_shared") {}
};

struct BnodeShared : VariableAttribute {
  BnodeShared() : VariableAttribute(&bnode_shared_spelling, bnode_shared_annotation, "bnode_shared") {}
};

struct Scratchpad : VariableAttribute {
  Scratchpad() : VariableAttribute(&scratchpad_spelling, scratchpad_annotation, "__thread_local") {}
};

/// `__kernel void f(void *argument)`.
struct Kernel : ParsedAttrInfo {
  Kernel() { Spellings = llvm::ArrayRef<Spelling>(&kernel_spelling, 1); }

  AttrHandling handleDeclAttribute(Sema& sema, Decl* declaration,
                                   const ParsedAttr& attribute) const override {
    const auto* function = llvm::dyn_cast<FunctionDecl>(declaration);
    if (function == nullptr) {
      error(sema, declaration->getLocation(), "'__kernel' applies only to functions");
      return AttributeNotApplied;
    }
    const QualType argument =
        function->getNumParams() == 1 ? function->getParamDecl(0)->getType() : QualType();
    if (!function->getReturnType()->isVoidType() || argument.isNull() || !argument->isVoidPointerType() ||
        argument->getPointeeType().hasQualifiers() || function->isVariadic()) {
      error(sema, declaration->getLocation(),
            "a '__kernel' function must have the type 'void (void *)', not %0")
          << function->getType();
      return AttributeNotApplied;
    }
    annotate(sema, declaration, attribute, kernel_annotation);
    return AttributeApplied;
  }
};

const ParsedAttrInfoRegistry::Add<NodeShared> add_node_shared("node_shared", "one variable per node");
const ParsedAttrInfoRegistry::Add<BnodeShared> add_bnode_shared("bnode_shared", "one variable per big node");
const ParsedAttrInfoRegistry::Add<Scratchpad> add_scratchpad("scratchpad",
                                                             "one variable per accelerator thread");
const ParsedAttrInfoRegistry::Add<Kernel> add_kernel("parallelc_kernel", "runs on accelerator threads");

}  // namespace

}  // namespace taihu::compiler
