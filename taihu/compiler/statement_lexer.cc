// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/statement_lexer.h"

#include "clang/Lex/Preprocessor.h"

namespace taihu::compiler {

using namespace clang;

const Token& StatementLexer::peek() {
  if (!has_next_) preprocessor_.Lex(next_);
  has_next_ = true;
  return next_;
}

void StatementLexer::take() {
  tokens_.push_back(peek());
  has_next_ = next_.is(tok::eof);  // the end of the file stays there
  if (has_next_) tokens_.pop_back();
}

bool StatementLexer::take_if(tok::TokenKind kind) {
  if (peek().isNot(kind)) return false;
  take();
  return true;
}

/// One token, or a bracket with everything up to its partner.
void StatementLexer::take_balanced() {
  int depth = 0;
  do {
    if (peek().is(tok::eof)) return;
    if (next_.isOneOf(tok::l_paren, tok::l_square, tok::l_brace)) ++depth;
    if (next_.isOneOf(tok::r_paren, tok::r_square, tok::r_brace)) --depth;
    if (depth < 0) return;
    take();
  } while (depth > 0);
}

void StatementLexer::take_parentheses() {
  if (peek().is(tok::l_paren)) take_balanced();
}

void StatementLexer::take_to_semicolon() {
  while (!peek().isOneOf(tok::semi, tok::eof, tok::r_brace, tok::r_paren, tok::r_square)) take_balanced();
  take_if(tok::semi);
}

/// label ::= name ':' | case expression ':' | default ':'. A name that is no label has been taken as well
/// then.
bool StatementLexer::take_label() {
  if (take_if(tok::identifier)) return take_if(tok::colon);
  if (take_if(tok::kw_default)) return take_if(tok::colon);
  if (!take_if(tok::kw_case)) return false;
  int questions = 0;
  while (!peek().isOneOf(tok::semi, tok::eof, tok::r_brace)) {
    if (next_.is(tok::question)) ++questions;
    const bool colon = next_.is(tok::colon);
    take_balanced();
    if (colon && questions-- == 0) return true;
  }
  return true;
}

/// Attributes, and pragmas that apply to the statement behind them.
void StatementLexer::take_prefixes() {
  for (;;) {
    if (peek().is(tok::kw___attribute)) {
      take();
      take_parentheses();
    } else if (next_.isAnnotation() && next_.isNot(tok::annot_pragma_captured)) {
      const bool openmp = next_.is(tok::annot_pragma_openmp);
      take();
      while (openmp && !peek().isOneOf(tok::annot_pragma_openmp_end, tok::eof)) take();
      if (openmp) take_if(tok::annot_pragma_openmp_end);
    } else if (next_.is(tok::annot_pragma_captured)) {
      take();
    } else {
      return;
    }
  }
}

void StatementLexer::read_statement() {
  take_prefixes();
  switch (peek().getKind()) {
    case tok::l_brace:
      return take_balanced();
    case tok::kw_if:
      take();
      take_if(tok::kw_constexpr);
      take_parentheses();
      read_statement();
      if (take_if(tok::kw_else)) read_statement();
      return;
    case tok::kw_for:
    case tok::kw_while:
    case tok::kw_switch:
      take();
      take_parentheses();
      return read_statement();
    case tok::kw_do:
      take();
      read_statement();
      return take_to_semicolon();
    case tok::kw_try:
      take();
      take_balanced();
      while (take_if(tok::kw_catch)) {
        take_parentheses();
        take_balanced();
      }
      return;
    case tok::identifier:
    case tok::kw_case:
    case tok::kw_default:
      return take_label() ? read_statement() : take_to_semicolon();
    default:
      return take_to_semicolon();
  }
}

}  // namespace taihu::compiler
