// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/assembler_statements.h"

#include <gtest/gtest.h>

namespace taihu::compiler {
namespace {

using Names = std::set<std::string>;

AssemblerNames names(const std::string& text, bool hash_is_comment = true) {
  return names_of(statements_of(text, hash_is_comment));
}

TEST(AssemblerStatements, DefineNames) {
  EXPECT_EQ(names("1: again: nop; .Lend{}: jmp 1b\n# no: comment; here:\nhere :").defined,
            (Names{"again", "here"}));
  EXPECT_EQ(names("  .macro put value\n .SET one, 1; two = 2\n .globl three\n x == y").defined,
            (Names{"one", "put", "two"}));
  EXPECT_EQ(names("/* count */ again: nop /* ; not: */ // nor:\nname .req x0").defined,
            (Names{"again", "name"}));
  EXPECT_EQ(names("cmpb $'a';one: cmpb $'a;two: cmpb $';';three:").defined, (Names{"one", "three", "two"}));
  EXPECT_EQ(names("").defined, Names());
}

TEST(AssemblerStatements, ReferToNamesThatAreNoInstructions) {
  EXPECT_EQ(names("rdtsc; lock; incl {}; lock incl one; rep movsb; LOCK\n").referred, Names{"one"});
  EXPECT_EQ(names("nop # bump counter; one\n/* two\n three */ cmpb $';', four; cmpb $'\\n', five").referred,
            (Names{"four", "five"}));
  EXPECT_EQ(names("call one@PLT; movl $two+4(%rip), %eax; .long a%b, (1)%c").referred,
            (Names{"one", "$two", "two", "4", "a", "b", "1", "c"}));
  EXPECT_EQ(names("1: call one; .quad \"two;three\"").referred, (Names{"one", "two;three", "two", "three"}));
  EXPECT_EQ(names("movl \"my name\"(%rip), %eax").referred, (Names{"my name", "my", "name"}));
}

TEST(AssemblerStatements, MayHaveHashesBeforeNumbers) {
  EXPECT_EQ(names("add x0, x0, #:lo12:one // two", false).referred, (Names{"x0", "lo12", "one"}));
  EXPECT_EQ(names("# one\n nop", false).referred, Names());
  EXPECT_EQ(names("nop; # one", false).odd, "# one");
}

TEST(AssemblerStatements, AreOddWhereTheyMayDefineMore) {
  EXPECT_EQ(names(" .include \"more.inc\"; nop").odd, ".include \"more.inc\"");
  EXPECT_EQ(names(".altmacro").odd, ".altmacro");
  EXPECT_EQ(names("nop; .ifdef one").odd, ".ifdef one");
  EXPECT_EQ(names("1: .incbin \"bytes\"").odd, "1: .incbin \"bytes\"");
  for (const char* text : {"\"again\": nop", "{vex} nop", "1: $x: nop", "@ one", ".ascii \"one", "/* one",
                           ".irp x,a,b; name\\x: nop; .endr", "cmpb $'"})
    EXPECT_NE(names(text).odd, "") << text;
  for (const char* text : {"_one: 1: .byte 2, '\\'', '\"'; .ascii \"\\\"\\n\"", ".L1: nop", "", "1:"})
    EXPECT_EQ(names(text).odd, "") << text;
}

TEST(AssemblerStatements, ComeFromTextWithOperands) {
  EXPECT_EQ(without_operands("movl $0, $$one; .Lend${:uid}: $(a$|b$) ${12:P} $12,"),
            "movl {}, $one; .Lend{}: {a|b} {} {},");
  EXPECT_EQ(without_operands("${"), "{}");
  EXPECT_EQ(without_operands("x$"), "x ");
}

}  // namespace
}  // namespace taihu::compiler
