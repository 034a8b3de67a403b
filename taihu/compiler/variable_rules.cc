// SPDX-License-Identifier: Apache-2.0
#include "clang/AST/APValue.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "taihu/compiler/names.h"
#include "taihu/compiler/rules.h"

namespace taihu::compiler {

using namespace clang;

namespace {

bool holds_address(const APValue& value) {
  switch (value.getKind()) {
    case APValue::LValue:
      return !value.isNullPointer() && value.getLValueBase();
    case APValue::Struct:
      for (unsigned i = 0; i < value.getStructNumFields(); ++i)
        if (holds_address(value.getStructField(i))) return true;
      for (unsigned i = 0; i < value.getStructNumBases(); ++i)
        if (holds_address(value.getStructBase(i))) return true;
      return false;
    case APValue::Union:
      return value.getUnionField() != nullptr && holds_address(value.getUnionValue());
    case APValue::Array:
      for (unsigned i = 0; i < value.getArrayInitializedElts(); ++i)
        if (holds_address(value.getArrayInitializedElt(i))) return true;
      return value.hasArrayFiller() && holds_address(value.getArrayFiller());
    case APValue::AddrLabelDiff:
      return true;
    default:
      return false;
  }
}

/// Finds a use of a scratchpad variable's address in an initialiser.
class ScratchpadUse : public RecursiveASTVisitor<ScratchpadUse> {
 public:
  bool VisitDeclRefExpr(DeclRefExpr* reference) {
    if (has_annotation(reference->getDecl(), scratchpad_annotation) &&
        reference->isNonOdrUse() != NOUR_Unevaluated)
      found = reference;
    return found == nullptr;
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr*) { return true; }

  DeclRefExpr* found = nullptr;
};

const char* section_of(const VarDecl& variable, bool check) {
  if (has_annotation(&variable, node_shared_annotation)) return node_shared_section;
  if (has_annotation(&variable, bnode_shared_annotation)) return bnode_shared_section;
  if (has_annotation(&variable, scratchpad_annotation))
    return check ? checked_scratchpad_section : scratchpad_section;
  return nullptr;
}

}  // namespace

void VariableRules::declare(VarDecl& variable) {
  if (variable.isInvalidDecl()) return;
  if (!variable.hasLocalStorage()) check_initialiser(variable);
  const char* section = section_of(variable, settings_.check);
  if (section == nullptr) return;
  Reporter report(context_);
  if (const VarDecl* first = variable.getPreviousDecl(); first && !section_of(*first, settings_.check)) {
    report.error(variable.getLocation(), "the first declaration of %0 must say where it lives, too")
        << &variable;
    report.note(first->getLocation(), "first declaration is here");
    return;
  }
  // A declaration inherits the section that its first one was given below.
  if (const auto* own = variable.getAttr<SectionAttr>();
      own != nullptr && !own->isImplicit() && !own->isInherited()) {
    report.error(own->getLocation(), "%0 cannot have a section: its place follows from where it lives")
        << &variable;
    return;
  }
  const bool shared = !has_annotation(&variable, scratchpad_annotation);
  if (shared)
    check_shared(variable,
                 has_annotation(&variable, node_shared_annotation) ? "node_shared" : "bnode_shared");
  if (!shared && variable.isThisDeclarationADefinition() != VarDecl::DeclarationOnly &&
      llvm::none_of(scratchpad_,
                    [&](VarDecl* known) { return known->getCanonicalDecl() == variable.getCanonicalDecl(); }))
    scratchpad_.push_back(&variable);
  if (variable.hasAttr<SectionAttr>()) return;
  // A name of its own for each variable: clang refuses constants and zeros in one section with others, but
  // the final sections are chosen later.
  const std::string own = std::string(section) + '.' + std::to_string(++sections_);
  variable.addAttr(SectionAttr::CreateImplicit(context_, own));
  // Else code generation takes an unknown section for a read-only one.
  int access = ASTContext::PSF_Read;
  if (!variable.getType().isConstQualified()) access |= ASTContext::PSF_Write;
  context_.SectionInfos[own] = ASTContext::SectionInfo(&variable, SourceLocation(), access);
}

void VariableRules::check_shared(VarDecl& variable, llvm::StringRef word) {
  const Expr* initialiser = variable.getInit();
  if (initialiser == nullptr || initialiser->isValueDependent() || variable.getType().isConstQualified())
    return;
  Reporter report(context_);
  const APValue* value = variable.evaluateValue();
  if (value == nullptr) {
    report.error(initialiser->getExprLoc(),
                 "initial value of '%0' variable %1 must be a constant; assign it in main")
        << word << &variable << initialiser->getSourceRange();
  } else if (holds_address(*value)) {
    report.error(
        initialiser->getExprLoc(),
        "initial value of '%0' variable %1 holds an address, which means something else in every process; "
        "assign it in main")
        << word << &variable << initialiser->getSourceRange();
  }
}

void VariableRules::check_initialiser(VarDecl& variable) {
  if (!variable.hasInit()) return;
  ScratchpadUse use;
  use.TraverseStmt(variable.getInit());
  if (use.found == nullptr) return;
  Reporter(context_).error(
      use.found->getLocation(),
      "'__thread_local' variable %0 has no address here: every accelerator thread has its own; "
      "take it in a kernel")
      << use.found->getDecl();
}

void VariableRules::check_capacity() {
  std::uint64_t used = 0;
  VarDecl* first_over = nullptr;
  for (VarDecl* variable : scratchpad_) {
    if (variable->getType()->isIncompleteType() || variable->getType()->isDependentType()) continue;
    used = llvm::alignTo(used, context_.getDeclAlign(variable).getQuantity());
    used += context_.getTypeSizeInChars(variable->getType()).getQuantity();
    if (used > settings_.scratchpad_bytes && first_over == nullptr) first_over = variable;
  }
  if (first_over == nullptr) return;
  Reporter report(context_);
  report.error(
      first_over->getLocation(),
      "'__thread_local' variables need %0 bytes but the scratchpad has %1; make them smaller, or set its "
      "size with 'parcc --spm=SIZE'")
      << std::to_string(used) << std::to_string(settings_.scratchpad_bytes);
  for (VarDecl* variable : scratchpad_) {
    if (variable->getType()->isIncompleteType() || variable->getType()->isDependentType()) continue;
    report.note(variable->getLocation(), "%0 takes %1 bytes")
        << variable << std::to_string(context_.getTypeSizeInChars(variable->getType()).getQuantity());
  }
}

}  // namespace taihu::compiler
