// SPDX-License-Identifier: Apache-2.0
// One walk over a function. It knows for every statement the foralls around it, so that it can say which
// jumps leave or enter one; gotos are judged at the end, when all labels are known.
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringExtras.h"
#include "taihu/compiler/forall_tree.h"
#include "taihu/compiler/names.h"
#include "taihu/compiler/rules.h"

namespace taihu::compiler {

using namespace clang;

namespace {

constexpr int array_scope = 4;  // CCC_ARRAY

/// A forall whose body is being walked, and the ones around it.
struct Enclosing {
  const ForallTree* forall;
  const Enclosing* outer;
  bool array;      ///< its scope is known to be CCC_ARRAY
  bool processes;  ///< its scope is known to be one of processes
  bool may_be_array;
};

/// Where a statement stands.
struct Place {
  const Enclosing* forall = nullptr;
  bool own_break = false;   ///< a break here ends a loop or switch inside the innermost forall
  bool own_switch = false;  ///< a case here belongs to a switch inside the innermost forall
  bool in_main = false;     ///< not in a lambda of main, which a kernel may call
};

class ForallRules {
 public:
  ForallRules(ASTContext& context, FunctionDecl& function)
      : context_(context),
        report_(context),
        in_kernel_(has_annotation(&function, kernel_annotation)),
        in_main_(function.isMain()) {}

  void check(Stmt& body) {
    walk(&body, {.in_main = in_main_});
    check_gotos();
  }

 private:
  void walk(const Stmt* statement, Place place) {
    if (statement == nullptr) return;
    ForallTree forall;
    if (match_forall(*statement, forall)) return walk_forall(forall, place);
    check_jump(*statement, place);
    check_use(*statement, place);
    if (llvm::isa<LambdaExpr, BlockExpr>(statement)) place = {};
    if (llvm::isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(statement)) place.own_break = true;
    if (llvm::isa<SwitchStmt>(statement)) place.own_break = place.own_switch = true;
    if (const auto* captured = llvm::dyn_cast<CapturedStmt>(statement))
      return walk(captured->getCapturedStmt(), place);
    for (const Stmt* child : statement->children()) walk(child, place);
  }

  void walk_forall(const ForallTree& forall, const Place& place) {
    for (const Stmt* part : {static_cast<const Stmt*>(forall.scope), forall.header->getInit(),
                             static_cast<const Stmt*>(forall.divider)})
      walk(part, place);
    if (!forall.countable) {
      walk(forall.header->getCond(), place);
      walk(forall.header->getInc(), place);
    }
    Enclosing here = {&forall, place.forall, false, false, forall.region};
    check_scope(forall, here);
    check_nesting(here);
    check_operands(forall);
    if (forall.countable) check_body_keeps(induction_variable(forall), forall.body);
    walk(forall.body, {.forall = &here, .in_main = place.in_main});
  }

  void check_jump(const Stmt& statement, const Place& place) {
    const auto* label = llvm::dyn_cast<LabelStmt>(&statement);
    if (label != nullptr) labels_.push_back({label->getDecl(), label->getBeginLoc(), chain(place)});
    if (const auto* jump = llvm::dyn_cast<GotoStmt>(&statement))
      gotos_.push_back({jump->getLabel(), jump->getGotoLoc(), chain(place)});
    if (place.forall == nullptr) return;
    if (llvm::isa<BreakStmt>(statement) && !place.own_break) refuse_leaving("break", statement, place);
    if (llvm::isa<ReturnStmt>(statement)) refuse_leaving("return", statement, place);
    if (llvm::isa<IndirectGotoStmt>(statement)) refuse_leaving("goto to a computed label", statement, place);
    if (llvm::isa<SwitchCase>(statement) && !place.own_switch) {
      report_.error(statement.getBeginLoc(), "a 'switch' outside a 'forall' cannot jump into it");
      point_to(*place.forall->forall);
    }
  }

  void refuse_leaving(const char* what, const Stmt& statement, const Place& place) {
    report_.error(statement.getBeginLoc(), "'%0' cannot leave a 'forall' (the other members go on)") << what;
    point_to(*place.forall->forall);
  }

  void point_to(const ForallTree& forall) { report_.note(forall.place, "'forall' is here"); }

  /// A scratchpad variable in main is used by process code, unless a forall brings it to the array.
  void check_use(const Stmt& statement, const Place& place) {
    const auto* reference = llvm::dyn_cast<DeclRefExpr>(&statement);
    if (reference == nullptr || !place.in_main || reference->isNonOdrUse() == NOUR_Unevaluated) return;
    if (!has_annotation(reference->getDecl(), scratchpad_annotation)) return;
    for (const Enclosing* outer = place.forall; outer != nullptr; outer = outer->outer)
      if (outer->may_be_array) return;
    report_.error(
        reference->getLocation(),
        "'__thread_local' variable %0 cannot be used in process code: only accelerator threads have one")
        << reference->getDecl();
    report_.note(reference->getDecl()->getLocation(), "%0 is declared here") << reference->getDecl();
  }

  void check_scope(const ForallTree& forall, Enclosing& here) {
    llvm::APSInt value;
    if (forall.scope == nullptr || forall.scope->containsErrors() || forall.scope->isTypeDependent()) return;
    if (!forall.scope->getType()->isIntegralOrUnscopedEnumerationType()) {
      report_.error(forall.scope->getExprLoc(), "scope of a 'forall' must be an m_scope_t, not %0")
          << forall.scope->getType();
    } else if (constant_value(*forall.scope, context_, value)) {
      here.array = value == array_scope;
      here.processes = value >= 0 && value < array_scope;
      if (value < 0 || value > array_scope)
        report_.error(forall.scope->getExprLoc(), "%0 is no scope; the scopes are CCC_ALL to CCC_ARRAY")
            << llvm::toString(value, 10);
    }
  }

  /// Accelerator threads are divided once: an inner loop over them would see only the threads that execute
  /// its iteration of the outer one. Processes share the loops with ANY that all of them reach; in kernels
  /// they share none.
  void check_nesting(const Enclosing& here) {
    const bool dynamic = called_name(*here.forall->divider) == "taihu_forall_any";
    if (here.processes && dynamic && !in_kernel_) refuse_shared_by_some(here);
    if (!here.array) return;
    for (const Enclosing* outer = here.outer; outer != nullptr; outer = outer->outer) {
      if (!outer->array || (in_kernel_ && !dynamic)) continue;
      if (in_kernel_)
        report_.error(
            here.forall->place,
            "'forall' with ANY over CCC_ARRAY inside another 'forall' over CCC_ARRAY: all threads must "
            "reach it; use BLOCK or an ordinary loop");
      else
        report_.error(
            here.forall->place,
            "'forall' over CCC_ARRAY inside another 'forall' over CCC_ARRAY: the threads are divided "
            "already; use an ordinary loop");
      report_.note(outer->forall->place, "the outer 'forall' is here");
      return;
    }
  }

  void refuse_shared_by_some(const Enclosing& here) {
    for (const Enclosing* outer = here.outer; outer != nullptr; outer = outer->outer) {
      if (!outer->processes) continue;
      report_.error(
          here.forall->place,
          "'forall' with ANY over processes inside another 'forall' over processes: all members must "
          "reach it; use BLOCK or an ordinary loop");
      report_.note(outer->forall->place, "the outer 'forall' is here");
      return;
    }
  }

  /// Arguments of the divider behind the state: variable, relation, bound, step, block size; or the affinity.
  void check_operands(const ForallTree& forall) {
    if (!forall.countable) {
      check_integer(forall.divider->getArg(1), "affinity");
      return;
    }
    if (forall.divider->getNumArgs() < 5) return;
    // One message for a header: a wrong variable makes the bound wrong as well.
    if (!check_integer(forall.divider->getArg(1), "loop variable") ||
        !check_integer(forall.divider->getArg(3), "bound") ||
        !check_integer(forall.divider->getArg(4), "step"))
      return;
    check_direction(forall);
    if (forall.divider->getNumArgs() < 6) return;
    check_integer(forall.divider->getArg(5), "block size");
    llvm::APSInt value;
    const Expr* size = operand(forall.divider->getArg(5));
    if (size != nullptr && constant_value(*size, context_, value) && value <= 0)
      report_.error(size->getExprLoc(), "block size of a 'forall' must be at least 1, not %0")
          << llvm::toString(value, 10);
  }

  /// The programmer's expression in taihu_forall_integer((expression)).
  static const Expr* operand(const Expr* argument) {
    const auto* call = llvm::dyn_cast<CallExpr>(argument->IgnoreImplicit());
    if (call != nullptr && called_name(*call) == "taihu_forall_negated" && call->getNumArgs() == 1)
      call = llvm::dyn_cast<CallExpr>(call->getArg(0)->IgnoreImplicit());
    if (call == nullptr || called_name(*call) != "taihu_forall_integer" || call->getNumArgs() != 1)
      return nullptr;
    return call->getArg(0)->IgnoreParenImpCasts();
  }

  bool check_integer(const Expr* argument, const char* role) {
    const Expr* expression = operand(argument);
    if (expression == nullptr || expression->isTypeDependent() || expression->containsErrors()) return true;
    const QualType type = expression->getType();
    if (type->isIntegralOrUnscopedEnumerationType() && context_.getTypeSize(type) <= 64) return true;
    report_.error(expression->getExprLoc(), "%0 of a 'forall' must be an integer of at most 64 bits, not %1")
        << role << type << expression->getSourceRange();
    return false;
  }

  void check_direction(const ForallTree& forall) {
    llvm::APSInt relation, step;
    const Expr* amount = operand(forall.divider->getArg(4));
    if (amount == nullptr || !constant_value(*amount, context_, step)) return;
    if (!constant_value(*forall.divider->getArg(2), context_, relation)) return;
    if (step == 0) {
      report_.error(amount->getExprLoc(), "the loop never ends: its step is 0");
      return;
    }
    const auto* call = llvm::dyn_cast<CallExpr>(forall.divider->getArg(4)->IgnoreImplicit());
    const bool negated = call != nullptr && called_name(*call) == "taihu_forall_negated";
    const bool up = (step > 0) != negated;
    const long long kind = relation.getExtValue();
    if (kind == 4 || up == (kind <= 1)) return;  // TAIHU_NOT_EQUAL; TAIHU_LESS, TAIHU_LESS_EQUAL
    const Expr* bound = operand(forall.divider->getArg(3));
    report_.error(bound == nullptr ? forall.place : bound->getExprLoc(),
                  "the step of this 'forall' leads away from the bound; the loop would never end");
  }

  static const VarDecl* induction_variable(const ForallTree& forall) {
    if (forall.divider->getNumArgs() < 5) return nullptr;
    const Expr* name = operand(forall.divider->getArg(1));
    const auto* reference = name == nullptr ? nullptr : llvm::dyn_cast<DeclRefExpr>(name);
    return reference == nullptr ? nullptr : llvm::dyn_cast<VarDecl>(reference->getDecl());
  }

  static bool names(const Expr* expression, const VarDecl* variable) {
    const auto* reference = llvm::dyn_cast<DeclRefExpr>(expression->IgnoreParenImpCasts());
    return reference != nullptr && reference->getDecl() == variable;
  }

  /// Iterations are counted before the loop runs.
  void check_body_keeps(const VarDecl* variable, const Stmt* statement) {
    if (variable == nullptr || statement == nullptr) return;
    const auto* assignment = llvm::dyn_cast<BinaryOperator>(statement);
    const auto* change = llvm::dyn_cast<UnaryOperator>(statement);
    if ((assignment != nullptr && assignment->isAssignmentOp() && names(assignment->getLHS(), variable)) ||
        (change != nullptr && change->isIncrementDecrementOp() && names(change->getSubExpr(), variable)))
      report_.error(
          llvm::cast<Expr>(statement)->getExprLoc(),
          "the body of a 'forall' cannot change its loop variable %0; use an integer affinity for such a "
          "loop")
          << variable;
    for (const Stmt* child : statement->children()) check_body_keeps(variable, child);
  }

  /// The foralls around a place, outermost first, by their places in the text (the walk's own records end
  /// with it).
  llvm::SmallVector<SourceLocation, 4> chain(const Place& place) const {
    llvm::SmallVector<SourceLocation, 4> result;
    for (const Enclosing* each = place.forall; each != nullptr; each = each->outer)
      result.insert(result.begin(), each->forall->place);
    return result;
  }

  struct Jump {
    const LabelDecl* label;
    SourceLocation place;
    llvm::SmallVector<SourceLocation, 4> foralls;
  };

  void check_gotos() {
    for (const Jump& jump : gotos_) {
      const auto* target = llvm::find_if(labels_, [&](const Jump& each) { return each.label == jump.label; });
      if (target == labels_.end()) continue;
      size_t common = 0;
      while (common < jump.foralls.size() && common < target->foralls.size() &&
             jump.foralls[common] == target->foralls[common])
        ++common;
      if (common < jump.foralls.size()) {
        report_.error(jump.place, "'goto' cannot leave a 'forall' (the other members go on)");
        report_.note(jump.foralls[common], "'forall' is here");
      } else if (common < target->foralls.size()) {
        report_.error(jump.place, "'goto' cannot enter a 'forall'");
        report_.note(target->foralls[common], "'forall' is here");
      }
    }
  }

  ASTContext& context_;
  Reporter report_;
  bool in_kernel_;
  bool in_main_;
  llvm::SmallVector<Jump, 4> labels_;
  llvm::SmallVector<Jump, 4> gotos_;
};

}  // namespace

void check_foralls(ASTContext& context, FunctionDecl& function) {
  if (Stmt* body = function.getBody()) ForallRules(context, function).check(*body);
}

}  // namespace taihu::compiler
