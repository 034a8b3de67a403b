// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/join_modules.h"

#include <gtest/gtest.h>

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "taihu/base/error.h"
#include "taihu/compiler/loop_facts.h"

namespace taihu::compiler {
namespace {

using Names = std::set<std::string>;

constexpr char version[] = "1.0 with clang 19";

/// An object of `text`, with the names that it defines and to which it refers.
CodeFile file_of(const std::string& name, const std::string& text, const Names& defined,
                 const Names& undefined) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(text, error, context);
  if (module == nullptr) throw Error(name + ": " + error.getMessage().str());
  module->setSourceFileName(name + ".c");
  CodeFile file;
  file.place = {name + ".o", ""};
  file.is_object = true;
  llvm::raw_string_ostream stream(file.code);
  llvm::WriteBitcodeToFile(*module, stream);
  file.options = {{"-plugin-arg-parallelc", std::string("version=") + version}};
  file.defined = defined;
  file.undefined = undefined;
  file.certain = undefined;
  file.tells_names = true;
  file.is_as_compiled = true;
  return file;
}

CodeFile caller() {
  return file_of("caller",
                 "@table = internal global i32 1\n@known = global i32 2\ndeclare i32 @called(ptr)\n"
                 "define i32 @main() {\n %x = call i32 @called(ptr @table)\n ret i32 %x\n}\n",
                 {"main", "known"}, {"called"});
}

CodeFile called(const std::string& inner = "") {
  return file_of("called",
                 "@table = internal global i32 3\ndefine i32 @called(ptr %p) {\n" + inner +
                     " %x = load i32, ptr @table\n ret i32 %x\n}\n",
                 {"called"}, {});
}

std::string problem_of(CodeFile file) {
  std::vector<CodeFile> files = {std::move(file)};
  check_code(files, version);
  return files[0].problem;
}

TEST(CheckCode, TakesWhatTheCompilerHasMade) {
  std::vector<CodeFile> files = {caller(), called()};
  check_code(files, version);
  EXPECT_TRUE(is_joined(files[0])) << files[0].problem;
  EXPECT_TRUE(is_joined(files[1])) << files[1].problem;
  EXPECT_EQ(files[0].source, "caller.c");
}

TEST(CheckCode, FindsChangedNames) {
  CodeFile file = caller();
  file.undefined = {"memcpy"};  // which the compiler may add
  EXPECT_EQ(problem_of(file), "its object does not refer to called");
  file.undefined = {"called", "other"};
  EXPECT_EQ(problem_of(file), "its object refers to other");
  file.certain = {"called", "other"};
  EXPECT_EQ(problem_of(file), "its object refers to other");
  file.possible = {"other"};
  EXPECT_EQ(problem_of(file), "");
  file.defined = {"main", "known", "more"};
  EXPECT_EQ(problem_of(file), "its object also defines more");
  file.defined = {"known"};
  EXPECT_EQ(problem_of(file), "its object does not define main");
  file = caller();
  file.weak = {"known"};
  EXPECT_EQ(problem_of(file), "its object and its code differ in whether known is weak");
  file = caller();
  file.tells_names = false;
  EXPECT_EQ(problem_of(file), "it does not tell to which names its code refers; compile it again");
}

TEST(CheckCode, FindsOtherVersionsAndSeveralFiles) {
  CodeFile file = caller();
  file.options.clear();
  EXPECT_EQ(problem_of(file),
            std::string("parcc of unknown version has compiled it, and this is ") + version);
  file = caller();
  file.options.push_back(file.options[0]);
  EXPECT_EQ(problem_of(file), "ld -r made it of several objects");
  file = caller();
  file.code = "BC of nobody";
  EXPECT_THROW(problem_of(file), Error);
}

TEST(CheckCode, TakesNoNameWithUnderscoresForTheCompilers) {
  CodeFile file = caller();
  file.undefined = {"called", "__wrap_called"};
  EXPECT_EQ(problem_of(file), "its object refers to __wrap_called");
  for (const char* name : {"__stack_chk_fail", "__asan_report_load4", "__tls_get_addr", "__udivti3",
                           "__addtf3", "__aarch64_cas4_acq", "_GLOBAL_OFFSET_TABLE_", "_Unwind_Resume",
                           "taihu_member", "__cyg_profile_func_enter"}) {
    file.undefined = {"called", name};
    EXPECT_EQ(problem_of(file), "") << name;
  }
  file = caller();
  file.defined.insert("__wrap_known");
  EXPECT_EQ(problem_of(file), "its object also defines __wrap_known");
  file.defined = {"main", "known", "__llvm_retpoline_r11", "__odr_asan_gen_known"};
  EXPECT_EQ(problem_of(file), "");
}

TEST(CheckCode, FindsVariablesAmongConstructors) {
  EXPECT_EQ(problem_of(file_of("list", "@entry = global ptr null, section \".init_array\"\n", {"entry"}, {})),
            "entry is in the section .init_array");
}

TEST(CheckCode, FindsObjectsThatAnotherToolHasWritten) {
  CodeFile file = caller();
  file.is_as_compiled = false;
  EXPECT_EQ(problem_of(file),
            "strip, objcopy or ld -r has written its object anew, or it was compiled with -fno-addrsig");
}

class Joined : public testing::Test {
 protected:
  void join(std::vector<CodeFile> files, const Names& kept = {}, bool keeps_exports = false) {
    check_code(files, version);
    module_ = join_modules(context_, files, "folder/program", kept, keeps_exports);
    EXPECT_FALSE(llvm::verifyModule(*module_, &llvm::errs()));
    constructors_.clear();
    for (const CodeFile& file : files) constructors_.push_back(file.constructors);
  }
  bool is_static(const char* name) const {
    const llvm::GlobalValue* value = module_->getNamedValue(name);
    return value != nullptr && value->hasLocalLinkage();
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::vector<std::string> constructors_;
};

TEST_F(Joined, HasStaticsOfTheSameNameAndNothingForOthers) {
  join({caller(), called()});
  EXPECT_EQ(module_->getSourceFileName(), "caller.c");
  EXPECT_TRUE(is_static("called"));
  EXPECT_TRUE(is_static("known"));
  EXPECT_FALSE(is_static("main"));
  unsigned variables = 0;
  for (const llvm::GlobalVariable& variable : module_->globals()) variables += variable.hasInitializer();
  EXPECT_EQ(variables, 3u);
}

TEST_F(Joined, KeepsWhatOthersReferTo) {
  CodeFile other;
  other.place = {"other.o", ""};
  other.is_object = true;
  other.undefined = {"known"};
  join({caller(), called(), other});
  EXPECT_FALSE(is_static("known"));
  EXPECT_TRUE(is_static("called"));
  join({caller(), called()}, {"called"});
  EXPECT_FALSE(is_static("called"));
  join({caller(), called()}, {}, true);
  EXPECT_FALSE(is_static("known"));
}

TEST_F(Joined, GivesTextForTheAssemblerNoStaticOfAnotherFile) {
  CodeFile text = called(" call void asm sideeffect \"incl outer(%rip)\", \"\"()\n");
  CodeFile same = file_of("same", "@outer = internal global i32 7\ndefine ptr @get() {\n ret ptr @outer\n}\n",
                          {"get"}, {});
  text.undefined = {"outer"};
  join({caller(), same, text});
  EXPECT_EQ(module_->getNamedValue("outer"), nullptr);
  ASSERT_TRUE(is_static("outer.static"));
  const llvm::MDNode* name = module_->getNamedGlobal("outer.static")->getMetadata(name_metadata);
  ASSERT_NE(name, nullptr);
  EXPECT_EQ(llvm::cast<llvm::MDString>(name->getOperand(0))->getString(), "outer");
}

TEST_F(Joined, HasNoListsOfConstructorsThatStandElsewhere) {
  const std::string list =
                        "@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] "
                        "[{ i32, ptr, ptr } { i32 101, ptr @begin, ptr null }, "
                        "{ i32, ptr, ptr } { i32 65535, ptr @known_to_all, ptr null }]\n",
                    functions =
                        "define internal void @begin() {\n ret void\n}\n"
                        "define void @known_to_all() {\n ret void\n}\n";
  CodeFile file = file_of("list", list + functions, {"known_to_all"}, {});
  join({caller(), called(), file});
  EXPECT_NE(module_->getNamedGlobal("llvm.global_ctors"), nullptr);
  EXPECT_EQ(constructors_, std::vector<std::string>(3));
  file.before_constructors = {"other.o", ""};
  join({caller(), called(), file});
  EXPECT_EQ(module_->getNamedGlobal("llvm.global_ctors"), nullptr);
  EXPECT_FALSE(is_static("known_to_all"));
  ASSERT_NE(module_->getFunction("begin.constructor2"), nullptr);
  EXPECT_TRUE(module_->getFunction("begin.constructor2")->hasHiddenVisibility());
  for (const char* name : {"begin.constructor2", "known_to_all"})
    EXPECT_TRUE(module_->getFunction(name)->hasFnAttribute(constructor_attribute)) << name;
  const auto separate =
      llvm::cantFail(llvm::parseBitcodeFile(llvm::MemoryBufferRef(constructors_[2], "list"), context_));
  EXPECT_FALSE(llvm::verifyModule(*separate, &llvm::errs()));
  EXPECT_EQ(separate->getNamedGlobal("llvm.global_ctors")->getInitializer()->getNumOperands(), 2u);
  EXPECT_NE(separate->getFunction("begin.constructor2"), nullptr);
}

TEST_F(Joined, SaysWhatDoesNotFit) {
  try {
    join({caller(), called(), called()});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("called.o: does not fit the other files"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace taihu::compiler
