// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/assembler_text.h"

#include <gtest/gtest.h>

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"

namespace taihu::compiler {
namespace {

using Names = std::set<std::string>;

/// What stops the module; its text for the assembler is `outside` and that of a function `inside`.
std::string stopped(const std::string& outside, const std::string& inside) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module =
      llvm::parseAssemblyString("target triple = \"x86_64-pc-linux-gnu\"\nmodule asm \"" + outside +
                                    "\"\n@mine = internal global i32 1\n@theirs = global i32 1\n"
                                    "define void @f() {\n call void asm sideeffect \"" +
                                    inside + "\", \"\"()\n ret void\n}\n",
                                error, context);
  if (module == nullptr) return error.getMessage().str();
  return why_not_of_assembler(*module);
}

TEST(AssemblerText, ContainsNames) {
  Names names;
  add_words("call one@PLT; movl $two+4(%rip), $$three\nf\xc3\xbcnf.1", names);
  for (const char* name : {"one", "two", "three", "f\xc3\xbcnf.1", "rip"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_FALSE(names.contains("one@PLT"));
}

TEST(AssemblerText, StandsBesideOthersWhereItIsHarmless) {
  EXPECT_EQ(stopped("", "movl theirs(%rip), %eax"), "");
  EXPECT_EQ(stopped(" .globl theirs; .ident \\22x\\22 # .text", "nop"), "");
  EXPECT_EQ(stopped("", "leaq $$mine, %rax"), "the assembler text names mine, which is static");
  EXPECT_EQ(stopped(".globl mine", ""),
            "the assembler text outside of functions names mine, which is static");
  EXPECT_EQ(stopped(".weak theirs", ""), "it has assembler text outside of functions");
  EXPECT_EQ(stopped(".globl x; x: nop", ""), "it has assembler text outside of functions");
  EXPECT_EQ(stopped("", "x: nop"), "the assembler text defines x");
  EXPECT_EQ(stopped("", "mine theirs # mine"), "");
  EXPECT_EQ(stopped("", "$(movl mine$|mov mine$), %eax"),
            "the assembler text has what parcc cannot read: {movl mine|mov mine}, %eax");
  EXPECT_EQ(stopped("", "mov$(l mine$| mine$), %eax"), "the assembler text names mine, which is static");
  EXPECT_EQ(stopped("", ".altmacro\0Anop"), "the assembler text has what parcc cannot read: .altmacro");
  EXPECT_EQ(stopped("", ".pushsection .fini_array.101; .quad theirs; .popsection"),
            "the assembler text writes to .fini_array.101");
}

}  // namespace
}  // namespace taihu::compiler
