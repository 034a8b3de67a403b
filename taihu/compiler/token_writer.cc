// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/token_writer.h"

#include <memory>

#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace taihu::compiler {

using namespace clang;

namespace {

tok::TokenKind punctuation(llvm::StringRef word) {
  return llvm::StringSwitch<tok::TokenKind>(word)
      .Case("(", tok::l_paren)
      .Case(")", tok::r_paren)
      .Case("{", tok::l_brace)
      .Case("}", tok::r_brace)
      .Case(";", tok::semi)
      .Case(",", tok::comma)
      .Case(".", tok::period)
      .Case("=", tok::equal)
      .Case("&", tok::amp)
      .Case("!", tok::exclaim)
      .Case("+", tok::plus)
      .Case("--", tok::minusminus)
      .Default(tok::unknown);
}

}  // namespace

TokenWriter& TokenWriter::at(SourceLocation place) {
  place_ = place;
  return *this;
}

TokenWriter& TokenWriter::text(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 16> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef each : words) word(each);
  return *this;
}

void TokenWriter::word(llvm::StringRef word) {
  if (word == "0") {
    number(word);
    return;
  }
  Token token;
  token.startToken();
  token.setLocation(place_);
  token.setLength(1);
  token.setKind(punctuation(word));
  if (token.is(tok::unknown)) {
    IdentifierInfo* name = preprocessor_.getIdentifierInfo(word);
    token.setIdentifierInfo(name);
    token.setKind(name->getTokenID());
  }
  tokens_.push_back(token);
}

TokenWriter& TokenWriter::number(llvm::StringRef digits) {
  Token token;
  token.startToken();
  token.setKind(tok::numeric_constant);
  preprocessor_.CreateString(digits, token, place_, place_);
  tokens_.push_back(token);
  return *this;
}

TokenWriter& TokenWriter::captured() {
  Token token;
  token.startToken();
  token.setKind(tok::annot_pragma_captured);
  token.setLocation(place_);
  token.setAnnotationEndLoc(place_);
  token.setAnnotationValue(nullptr);
  tokens_.push_back(token);
  return *this;
}

TokenWriter& TokenWriter::tokens(const Tokens& tokens) {
  tokens_.append(tokens.begin(), tokens.end());
  return *this;
}

TokenWriter& TokenWriter::token(const Token& token) {
  tokens_.push_back(token);
  return *this;
}

void TokenWriter::enter() {
  if (tokens_.empty()) return;
  // Indentation warnings look at the first token of a line.
  tokens_.front().setFlag(Token::StartOfLine);
  auto copy = std::make_unique<Token[]>(tokens_.size());
  std::copy(tokens_.begin(), tokens_.end(), copy.get());
  preprocessor_.EnterTokenStream(std::move(copy), tokens_.size(), /*DisableMacroExpansion=*/true,
                                 /*IsReinject=*/true);
}

}  // namespace taihu::compiler
