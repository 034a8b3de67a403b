// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/forall_tree.h"

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "taihu/compiler/names.h"

namespace taihu::compiler {

using namespace clang;

namespace {

/// The generated variable that the loop declares, when its name starts with `prefix`.
const VarDecl* generated_variable(const Stmt& statement, llvm::StringRef prefix) {
  const auto* loop = llvm::dyn_cast<ForStmt>(&statement);
  const auto* declaration = loop == nullptr ? nullptr : llvm::dyn_cast_or_null<DeclStmt>(loop->getInit());
  if (declaration == nullptr || !declaration->isSingleDecl()) return nullptr;
  const auto* variable = llvm::dyn_cast<VarDecl>(declaration->getSingleDecl());
  if (variable == nullptr || variable->getIdentifier() == nullptr) return nullptr;
  return variable->getName().starts_with(prefix) ? variable : nullptr;
}

const CallExpr* find_call(const Stmt* statement, llvm::StringRef prefix) {
  if (statement == nullptr) return nullptr;
  if (const auto* call = llvm::dyn_cast<CallExpr>(statement); call && called_name(*call).starts_with(prefix))
    return call;
  for (const Stmt* child : statement->children())
    if (const CallExpr* call = find_call(child, prefix)) return call;
  return nullptr;
}

const Expr* scope_argument(const VarDecl& variable) {
  const CallExpr* call = find_call(variable.getInit(), "taihu_forall_");
  return call == nullptr || call->getNumArgs() != 1 ? nullptr : call->getArg(0)->IgnoreParenImpCasts();
}

/// Inside the loop that declares the forall's state: header, division and body.
bool match_loops(const ForStmt& outer, ForallTree& forall) {
  forall.header = llvm::dyn_cast<ForStmt>(outer.getBody());
  if (forall.header == nullptr) return false;
  if (const auto* choice = llvm::dyn_cast<IfStmt>(forall.header->getBody())) {
    forall.divider = find_call(choice->getCond(), "taihu_forall_mine");
    if (forall.divider != nullptr) {
      forall.body = choice->getElse();
      return forall.body != nullptr;
    }
  }
  const auto* pieces = llvm::dyn_cast<ForStmt>(forall.header->getBody());
  const auto* piece = pieces == nullptr ? nullptr : llvm::dyn_cast<ForStmt>(pieces->getBody());
  if (piece == nullptr) return false;
  forall.countable = true;
  forall.divider = find_call(pieces->getInit(), "taihu_forall_");
  forall.body = piece->getBody();
  return forall.divider != nullptr;
}

}  // namespace

llvm::StringRef called_name(const CallExpr& call) {
  const FunctionDecl* callee = call.getDirectCallee();
  return callee == nullptr || callee->getIdentifier() == nullptr ? llvm::StringRef() : callee->getName();
}

bool constant_value(const Expr& expression, const ASTContext& context, llvm::APSInt& value) {
  if (expression.isValueDependent() || expression.getType().isNull()) return false;
  Expr::EvalResult result;
  if (!expression.getType()->isIntegralOrEnumerationType() || !expression.EvaluateAsInt(result, context))
    return false;
  value = result.Val.getInt();
  return true;
}

bool match_forall(const Stmt& statement, ForallTree& forall) {
  if (const VarDecl* region = generated_variable(statement, region_variable)) {
    const auto* block = llvm::dyn_cast<CompoundStmt>(llvm::cast<ForStmt>(statement).getBody());
    const auto* captured =
        block == nullptr || block->body_empty() ? nullptr : llvm::dyn_cast<CapturedStmt>(block->body_back());
    const auto* inner =
        captured == nullptr ? nullptr : llvm::dyn_cast<CompoundStmt>(captured->getCapturedStmt());
    const auto* loop =
        inner == nullptr || inner->body_empty() ? nullptr : llvm::dyn_cast<ForStmt>(inner->body_back());
    forall.place = region->getLocation();
    forall.scope = scope_argument(*region);
    forall.region = true;
    return loop != nullptr && match_loops(*loop, forall);
  }
  const VarDecl* state = generated_variable(statement, loop_variable);
  if (state == nullptr) return false;
  forall.place = state->getLocation();
  forall.scope = scope_argument(*state);
  return match_loops(llvm::cast<ForStmt>(statement), forall);
}

}  // namespace taihu::compiler
