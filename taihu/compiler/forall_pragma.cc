// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/forall_pragma.h"

#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "taihu/compiler/forall_clauses.h"
#include "taihu/compiler/names.h"
#include "taihu/compiler/statement_lexer.h"
#include "taihu/compiler/token_writer.h"

namespace taihu::compiler {

using namespace clang;

namespace {

/// Writes the loops of one forall.
class ForallWriter {
 public:
  ForallWriter(Preprocessor& preprocessor, SourceLocation place, const ForallClauses& forall, int number)
      : forall_(forall), place_(place), number_(std::to_string(number)), out_(preprocessor) {}

  TokenWriter& out() { return out_; }

  /// Evaluates the scope here; what follows, up to end_region, runs where the scope says.
  void begin_region() {
    const std::string region = region_variable + number_;
    out_.at(place_).text("for ( struct taihu_forall").text(region).text("= taihu_forall_begin (");
    scope();
    out_.text(") ;").text(region).text(". open ;").text(region).text(". open = 0 ) { taihu_region_enter (");
    out_.number(number_).text(",").text(region).text(". scope ) ;");
    out_.captured().text("{ taihu_region_inside (").number(number_).text(") ;");
    in_region_ = true;
  }

  void end_region() { out_.at(place_).text("} }"); }

  void countable(Affinity affinity, const CountableHeader& header, const Tokens& amount) {
    const std::string loop = loop_variable + number_;
    const std::string left = left_variable + number_;
    begin_loop("taihu_forall_begin");
    out_.text("; ) for (").tokens(forall_.clauses[INIT]).at(place_).text(";").text(loop).text(". open ;");
    out_.text(loop).text(". open = 0 ,");
    set_variable(header.variable, "end");
    out_.text(") for (").text(divider(affinity)).text("( &").text(loop).text(",");
    integer({header.variable});
    out_.text(",").text(header.relation).text(",");
    integer(header.bound);
    out_.text(",");
    step(header);
    if (affinity == Affinity::deal) {
      out_.text(",");
      integer(amount);
    }
    out_.at(place_).text(") ; taihu_forall_next ( &").text(loop).text(") ; )");
    out_.text("for ( unsigned long long").text(left).text("= (");
    set_variable(header.variable, "first");
    out_.text(",").text(loop).text(". length ) ;").text(left).text("; --").text(left).text(",");
    if (header.step_amount.empty())
      out_.tokens(forall_.clauses[STEP]).at(place_);
    else
      advance(header);
    out_.text(")");
  }

  void integer_affinity() {
    begin_loop("taihu_forall_each");
    out_.text(";").text(loop_variable + number_).text(". open = 0 ) for (");
    out_.tokens(forall_.clauses[INIT]).at(place_).text(";");
    out_.tokens(forall_.clauses[CONDITION]).at(place_).text(";");
    out_.tokens(forall_.clauses[STEP]).at(place_).text(")");
    out_.text("if ( ! taihu_forall_mine ( &").text(loop_variable + number_).text(",");
    integer(forall_.clauses[AFFINITY]);
    out_.at(place_).text(") ) { } else");
  }

  /// An ordinary loop, after an error in the other clauses: the parser goes on with the programmer's header
  /// and body.
  void plain() {
    out_.at(place_).text("for (").tokens(forall_.clauses[INIT]).at(place_).text(";");
    out_.tokens(forall_.clauses[CONDITION]).at(place_).text(";").tokens(forall_.clauses[STEP]);
    out_.at(place_).text(")");
  }

 private:
  static const char* divider(Affinity affinity) {
    if (affinity == Affinity::deal) return "taihu_forall_deal";
    return affinity == Affinity::any ? "taihu_forall_any" : "taihu_forall_block";
  }

  void scope() { out_.text("(").tokens(forall_.clauses[SCOPE]).at(place_).text(")"); }

  /// "for (struct taihu_forall F = START(SCOPE); F.open"
  void begin_loop(const char* start) {
    const std::string loop = loop_variable + number_;
    out_.at(place_).text("for ( struct taihu_forall").text(loop).text("=").text(start).text("(");
    if (in_region_)
      out_.text(region_variable + number_).text(". scope");
    else
      scope();
    out_.text(") ;").text(loop).text(". open");
  }

  /// "taihu_forall_integer(EXPRESSION)", at the expression's place so that errors about it point there.
  void integer(const Tokens& expression) {
    out_.at(expression.front().getLocation()).text("taihu_forall_integer ( (").tokens(expression);
    out_.at(expression.back().getLocation()).text(") )").at(place_);
  }

  void step(const CountableHeader& header) {
    if (header.down) out_.text("taihu_forall_negated (");
    if (header.step_amount.empty())
      out_.text("taihu_forall_integer (").number("1").text(")");
    else
      integer(header.step_amount);
    if (header.down) out_.text(")");
  }

  /// "i = (__typeof__(i))F.field"
  void set_variable(const Token& variable, const char* field) {
    out_.tokens({variable}).at(place_).text("= ( __typeof__ (").tokens({variable}).at(place_).text(") )");
    out_.text(loop_variable + number_).text(".").text(field);
  }

  /// "i = (__typeof__(i))(i + (__typeof__(i))F.step)"
  void advance(const CountableHeader& header) {
    const Tokens name = {header.variable};
    out_.tokens(name).at(place_).text("= ( __typeof__ (").tokens(name).at(place_).text(") ) (").tokens(name);
    out_.at(place_).text("+ ( __typeof__ (").tokens(name).at(place_).text(") )");
    out_.text(loop_variable + number_).text(". step )");
  }

  const ForallClauses& forall_;
  SourceLocation place_;
  std::string number_;
  bool in_region_ = false;
  TokenWriter out_;
};

class ForallPragma : public PragmaHandler {
 public:
  explicit ForallPragma(CompilerInstance& compiler) : PragmaHandler("forall"), compiler_(compiler) {}

  void HandlePragma(Preprocessor& preprocessor, PragmaIntroducer introducer, Token&) override {
    Token token;
    do preprocessor.Lex(token);
    while (token.isNot(tok::eod));
    const SourceLocation place = place_of(preprocessor, introducer.Loc);
    const ForallClauses forall = lex_clauses(preprocessor);
    ForallWriter writer(preprocessor, place, forall, ++number_);
    if (!forall.complete)
      give_back(writer, forall);
    else if (forall.clauses.size() != CLAUSES)
      refuse_count(preprocessor, writer, forall);
    else
      write(preprocessor, writer, forall, place);
    writer.out().enter();
  }

 private:
  /// Where the word `forall` stands, also when it stands in another macro.
  static SourceLocation place_of(Preprocessor& preprocessor, SourceLocation pragma) {
    if (!pragma.isMacroID()) return pragma;
    return preprocessor.getSourceManager().getImmediateExpansionRange(pragma).getBegin();
  }

  static void give_back(ForallWriter& writer, const ForallClauses& forall) {
    writer.out().token(forall.after);
  }

  /// Says how many clauses there are and skips the whole statement, whose names may be unknown now.
  static void refuse_count(Preprocessor& preprocessor, ForallWriter& writer, const ForallClauses& forall) {
    DiagnosticsEngine& diagnostics = preprocessor.getDiagnostics();
    diagnostics.Report(forall.close, diagnostics.getCustomDiagID(
                                         DiagnosticsEngine::Error,
                                         "'forall' takes 5 clauses (init; condition; step; affinity; scope), "
                                         "found %0"))
        << static_cast<int>(forall.clauses.size());
    StatementLexer statement(preprocessor);
    statement.read_statement();
    writer.out().at(forall.close).text(";");
    if (statement.rest() != nullptr) writer.out().token(*statement.rest());
  }

  void write(Preprocessor& preprocessor, ForallWriter& writer, const ForallClauses& forall,
             SourceLocation place) {
    Affinity affinity{};
    Tokens amount;
    CountableHeader header;
    bool may_be_array = false;
    const bool good = read_affinity(preprocessor, forall, affinity, amount) &&
                      (affinity == Affinity::integer || read_countable(preprocessor, forall, header)) &&
                      read_scope(preprocessor, forall, may_be_array);
    const bool region = good && may_be_array && !in_kernel();
    if (!good || (region && !has_own_variable(preprocessor, forall, place))) {
      writer.plain();
      return;
    }
    if (region) {
      write_region(preprocessor, writer, affinity, header, amount);
    } else {
      write_loops(writer, affinity, header, amount);
    }
  }

  static void write_loops(ForallWriter& writer, Affinity affinity, const CountableHeader& header,
                          const Tokens& amount) {
    if (affinity == Affinity::integer)
      writer.integer_affinity();
    else
      writer.countable(affinity, header, amount);
  }

  /// The region must end behind the body, so the body is read first.
  static void write_region(Preprocessor& preprocessor, ForallWriter& writer, Affinity affinity,
                           const CountableHeader& header, const Tokens& amount) {
    StatementLexer body(preprocessor);
    body.read_statement();
    // A return would get the parser's own, less helpful message inside a region; the rules name the forall.
    const bool leaves =
        llvm::any_of(body.tokens(), [](const Token& token) { return token.is(tok::kw_return); }) &&
        !preprocessor.getLangOpts().CPlusPlus;
    if (!leaves) writer.begin_region();
    write_loops(writer, affinity, header, amount);
    writer.out().tokens(body.tokens());
    if (!leaves) writer.end_region();
    if (body.rest() != nullptr) writer.out().token(*body.rest());
  }

  /// A variable from outside the header would be one variable for all accelerator threads.
  static bool has_own_variable(Preprocessor& preprocessor, const ForallClauses& forall,
                               SourceLocation place) {
    if (declares_variable(forall.clauses[INIT])) return true;
    DiagnosticsEngine& diagnostics = preprocessor.getDiagnostics();
    diagnostics.Report(forall.clauses[INIT].empty() ? place : forall.clauses[INIT].front().getLocation(),
                       diagnostics.getCustomDiagID(DiagnosticsEngine::Error,
                                                   "outside a __kernel, a 'forall' whose scope is or may be "
                                                   "CCC_ARRAY must declare its loop variable in init, as "
                                                   "in 'int i = 0' (each accelerator thread needs its own)"));
    return false;
  }

  bool in_kernel() {
    const FunctionDecl* function = compiler_.getSema().getCurFunctionDecl(/*AllowLambda=*/true);
    return function != nullptr && has_annotation(function, kernel_annotation);
  }

  CompilerInstance& compiler_;
  int number_ = 0;
};

}  // namespace

void add_forall_pragma(CompilerInstance& compiler) {
  compiler.getPreprocessor().AddPragmaHandler("parallelc", new ForallPragma(compiler));
}

}  // namespace taihu::compiler
