// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/forall_clauses.h"

#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringSwitch.h"

namespace taihu::compiler {

using namespace clang;

namespace {

template <unsigned N>
DiagnosticBuilder error(Preprocessor& preprocessor, SourceLocation place, const char (&text)[N]) {
  DiagnosticsEngine& diagnostics = preprocessor.getDiagnostics();
  return diagnostics.Report(place, diagnostics.getCustomDiagID(DiagnosticsEngine::Error, text));
}

template <unsigned N>
DiagnosticBuilder note(Preprocessor& preprocessor, SourceLocation place, const char (&text)[N]) {
  DiagnosticsEngine& diagnostics = preprocessor.getDiagnostics();
  return diagnostics.Report(place, diagnostics.getCustomDiagID(DiagnosticsEngine::Note, text));
}

bool is_word(const Token& token, llvm::StringRef word) {
  return token.is(tok::identifier) && token.getIdentifierInfo()->getName() == word;
}

bool same_name(const Token& a, const Token& b) {
  return a.is(tok::identifier) && b.is(tok::identifier) && a.getIdentifierInfo() == b.getIdentifierInfo();
}

int depth_change(const Token& token) {
  if (token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace)) return 1;
  if (token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace)) return -1;
  return 0;
}

/// Index of the first token of one of `kinds` outside all brackets, or the size.
template <class... Kinds>
size_t find_outside(const Tokens& tokens, size_t from, Kinds... kinds) {
  int depth = 0;
  for (size_t i = from; i < tokens.size(); ++i) {
    if (depth == 0 && (tokens[i].is(kinds) || ...)) return i;
    depth += depth_change(tokens[i]);
  }
  return tokens.size();
}

SourceLocation place_of(const ForallClauses& forall, Clause clause) {
  const Tokens& tokens = forall.clauses[clause];
  return tokens.empty() ? forall.close : tokens.front().getLocation();
}

/// init ::= empty | type... name = expression | name = expression. Sets `variable` unless init is empty.
bool read_init(Preprocessor& preprocessor, const ForallClauses& forall, Token& variable) {
  const Tokens& init = forall.clauses[INIT];
  if (init.empty()) return true;
  const size_t assignment = find_outside(init, 0, tok::equal, tok::comma);
  const bool declared = declares_variable(init);
  if (assignment < init.size() && init[assignment].is(tok::equal) && assignment > 0 &&
      init[assignment - 1].is(tok::identifier) && (assignment == 1 || declared)) {
    const size_t comma = find_outside(init, assignment, tok::comma);
    variable = init[assignment - 1];
    if (comma == init.size()) return true;
    error(
        preprocessor, init[comma].getLocation(),
        "a 'forall' with BLOCK or ANY counts one variable; set the others before the loop, or use an integer "
        "affinity");
    return false;
  }
  error(preprocessor, place_of(forall, INIT),
        "init of a 'forall' with BLOCK or ANY must set one variable, as in 'int i = 0'; or use an integer "
        "affinity");
  return false;
}

/// step ::= i++ | ++i | i-- | --i | i += expression | i -= expression
bool read_step(Preprocessor& preprocessor, const ForallClauses& forall, CountableHeader& header) {
  const Tokens& step = forall.clauses[STEP];
  const bool named = header.variable.is(tok::identifier);
  const auto is_variable = [&](const Token& token) {
    return token.is(tok::identifier) && (!named || same_name(token, header.variable));
  };
  if (step.size() == 2 && step[1].isOneOf(tok::plusplus, tok::minusminus) && is_variable(step[0])) {
    header.down = step[1].is(tok::minusminus);
    header.variable = named ? header.variable : step[0];
    return true;
  }
  if (step.size() == 2 && step[0].isOneOf(tok::plusplus, tok::minusminus) && is_variable(step[1])) {
    header.down = step[0].is(tok::minusminus);
    header.variable = named ? header.variable : step[1];
    return true;
  }
  if (step.size() > 2 && step[1].isOneOf(tok::plusequal, tok::minusequal) && is_variable(step[0]) &&
      find_outside(step, 2, tok::comma, tok::equal) == step.size()) {
    header.down = step[1].is(tok::minusequal);
    header.variable = named ? header.variable : step[0];
    header.step_amount.assign(step.begin() + 2, step.end());
    return true;
  }
  const llvm::StringRef name = named ? header.variable.getIdentifierInfo()->getName() : "i";
  error(preprocessor, place_of(forall, STEP),
        "step of a 'forall' with BLOCK or ANY must be %0++, %0--, %0 += or %0 -= a constant amount; or use "
        "an integer "
        "affinity")
      << name;
  return false;
}

const char* relation_name(tok::TokenKind kind, bool variable_first) {
  switch (kind) {
    case tok::less:
      return variable_first ? "TAIHU_LESS" : "TAIHU_GREATER";
    case tok::lessequal:
      return variable_first ? "TAIHU_LESS_EQUAL" : "TAIHU_GREATER_EQUAL";
    case tok::greater:
      return variable_first ? "TAIHU_GREATER" : "TAIHU_LESS";
    case tok::greaterequal:
      return variable_first ? "TAIHU_GREATER_EQUAL" : "TAIHU_LESS_EQUAL";
    case tok::exclaimequal:
      return "TAIHU_NOT_EQUAL";
    default:
      return nullptr;
  }
}

/// condition ::= i relation expression | expression relation i, where nothing outside brackets binds weaker.
bool read_condition(Preprocessor& preprocessor, const ForallClauses& forall, CountableHeader& header) {
  const Tokens& condition = forall.clauses[CONDITION];
  const auto next_weak = [&](size_t from) {
    return find_outside(condition, from, tok::less, tok::lessequal, tok::greater, tok::greaterequal,
                        tok::exclaimequal, tok::equalequal, tok::amp, tok::pipe, tok::caret, tok::ampamp,
                        tok::pipepipe, tok::question, tok::comma, tok::equal);
  };
  const size_t at = next_weak(0);
  if (at < condition.size() && next_weak(at + 1) == condition.size()) {
    const bool first = at == 1 && same_name(condition[0], header.variable);
    const bool last = at + 2 == condition.size() && same_name(condition.back(), header.variable);
    header.relation = relation_name(condition[at].getKind(), first);
    if (header.relation != nullptr && first && at + 1 < condition.size()) {
      header.bound.assign(condition.begin() + at + 1, condition.end());
      return true;
    }
    if (header.relation != nullptr && last && at > 0) {
      header.bound.assign(condition.begin(), condition.begin() + at);
      return true;
    }
  }
  error(preprocessor, place_of(forall, CONDITION),
        "condition of a 'forall' with BLOCK or ANY must compare '%0' with a bound by <, <=, >, >= or !=; or "
        "use an "
        "integer affinity")
      << header.variable.getIdentifierInfo()->getName();
  note(preprocessor, header.variable.getLocation(), "'%0' is the loop variable")
      << header.variable.getIdentifierInfo()->getName();
  return false;
}

}  // namespace

ForallClauses lex_clauses(Preprocessor& preprocessor) {
  ForallClauses forall;
  Token token;
  preprocessor.Lex(token);
  forall.after = token;
  if (token.isNot(tok::l_paren)) {
    error(preprocessor, token.getLocation(), "expected '(' after 'forall'");
    return forall;
  }
  forall.open = token.getLocation();
  forall.clauses.emplace_back();
  int depth = 0;
  for (;;) {
    preprocessor.Lex(token);
    forall.after = token;
    if (token.is(tok::eof) || (token.is(tok::r_brace) && depth == 0)) {
      error(preprocessor, token.getLocation(), "expected ')' after the clauses of 'forall'");
      note(preprocessor, forall.open, "to match this '('");
      return forall;
    }
    if (token.is(tok::r_paren) && depth == 0) break;
    depth += depth_change(token);
    if (token.is(tok::semi) && depth == 0)
      forall.clauses.emplace_back();
    else
      forall.clauses.back().push_back(token);
  }
  forall.close = token.getLocation();
  forall.complete = true;
  return forall;
}

bool declares_variable(const Tokens& init) {
  const size_t end = find_outside(init, 0, tok::equal, tok::l_brace, tok::comma, tok::semi);
  if (end < 2 || init[end - 1].isNot(tok::identifier)) return false;
  if (init[0].isOneOf(tok::star, tok::amp, tok::plusplus, tok::minusminus, tok::l_paren)) return false;
  for (size_t i = 0; i + 1 < end; ++i)
    if (init[i].isOneOf(tok::arrow, tok::period, tok::l_square, tok::plusplus, tok::minusminus)) return false;
  return true;
}

bool read_affinity(Preprocessor& preprocessor, const ForallClauses& forall, Affinity& affinity,
                   Tokens& amount) {
  const Tokens& tokens = forall.clauses[AFFINITY];
  if (tokens.empty()) {
    error(preprocessor, forall.close,
          "'forall' has an empty affinity; write BLOCK, BLOCK(n), ANY or an integer expression");
    return false;
  }
  const SourceLocation place = tokens[0].getLocation();
  if (place.isMacroID()) {
    // A macro of that name would turn the word into something else without a word to the programmer.
    const llvm::StringRef macro =
        Lexer::getImmediateMacroName(place, preprocessor.getSourceManager(), preprocessor.getLangOpts());
    if (macro == "BLOCK" || macro == "ANY") {
      error(preprocessor, place,
            "affinity '%0' is hidden by a macro of that name; rename or undefine the macro")
          << macro;
      return false;
    }
  }
  affinity = Affinity::integer;
  if (is_word(tokens[0], "ANY") && tokens.size() == 1) affinity = Affinity::any;
  if (is_word(tokens[0], "BLOCK") && tokens.size() == 1) affinity = Affinity::block;
  if (is_word(tokens[0], "BLOCK") && tokens.size() > 2 && tokens[1].is(tok::l_paren) &&
      find_outside(tokens, 2, tok::r_paren) == tokens.size() - 1) {
    affinity = Affinity::deal;
    amount.assign(tokens.begin() + 2, tokens.end() - 1);
    if (!amount.empty()) return true;
    error(preprocessor, tokens.back().getLocation(), "BLOCK() needs a block size; write BLOCK(n) or BLOCK");
    return false;
  }
  return true;
}

bool read_countable(Preprocessor& preprocessor, const ForallClauses& forall, CountableHeader& header) {
  header.variable.startToken();
  return read_init(preprocessor, forall, header.variable) && read_step(preprocessor, forall, header) &&
         read_condition(preprocessor, forall, header);
}

bool read_scope(Preprocessor& preprocessor, const ForallClauses& forall, bool& may_be_array) {
  const Tokens& tokens = forall.clauses[SCOPE];
  may_be_array = true;
  if (tokens.empty()) {
    error(preprocessor, forall.close,
          "'forall' has an empty scope; write CCC_ALL, CCC_SNODE, CCC_BNODE, CCC_NODE or CCC_ARRAY");
    return false;
  }
  if (tokens.size() != 1 || tokens[0].isNot(tok::identifier)) return true;
  const llvm::StringRef name = tokens[0].getIdentifierInfo()->getName();
  if (!name.starts_with("CCC_")) return true;
  may_be_array = name == "CCC_ARRAY";
  if (llvm::StringSwitch<bool>(name)
          .Cases("CCC_ALL", "CCC_SNODE", "CCC_BNODE", "CCC_NODE", "CCC_ARRAY", true)
          .Default(false))
    return true;
  error(preprocessor, tokens[0].getLocation(),
        "unknown scope '%0'; the scopes are CCC_ALL, CCC_SNODE, CCC_BNODE, CCC_NODE and CCC_ARRAY")
      << name;
  return false;
}

}  // namespace taihu::compiler
