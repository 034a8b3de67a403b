// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/code_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/ObjectYAML/yaml2obj.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLTraits.h"
#include "llvm/Support/raw_ostream.h"
#include "taihu/base/error.h"

namespace taihu::compiler {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

/// An object with the sections of parcc --whole-program, which defines `name` and refers to "wanted". `table`
/// is that to which its list of names whose address is taken belongs.
std::string object_that_defines(const std::string& name, const std::string& table = ".symtab") {
  const std::string text =
      "--- !ELF\nFileHeader: {Class: ELFCLASS64, Data: ELFDATA2LSB, Type: ET_REL, Machine: EM_X86_64}\n"
      "Sections:\n"
      " - {Name: .text, Type: SHT_PROGBITS, Flags: [SHF_ALLOC, SHF_EXECINSTR]}\n"
      " - {Name: .taihu_code, Type: SHT_PROGBITS, Content: '4243'}\n"
      " - {Name: .taihu_code_options, Type: SHT_PROGBITS, Content: '2d4f3200'}\n"
      " - {Name: .taihu_code_names, Type: SHT_PROGBITS, Content: '2b6f6e65002d74776f00'}\n"
      " - {Name: .llvm_addrsig, Type: SHT_LLVM_ADDRSIG, Link: " +
      table +
      ", Symbols: []}\n"
      "Symbols:\n"
      " - {Name: a.c, Type: STT_FILE}\n - {Name: inner, Section: .text}\n - {Name: " +
      name +
      ", Section: .text, Binding: STB_GLOBAL}\n"
      " - {Name: soft, Section: .text, Binding: STB_WEAK}\n"
      " - {Name: wanted, Binding: STB_GLOBAL}\n - {Name: perhaps, Binding: STB_WEAK}\n...\n";
  std::string object;
  llvm::raw_string_ostream stream(object);
  llvm::yaml::Input input(text);
  if (!llvm::yaml::convertYAML(input, stream, [](const llvm::Twine& error) { ADD_FAILURE() << error.str(); }))
    return "";
  return object;
}

class CodeFiles : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string put(const std::string& name, const std::string& content) const {
    const std::string file = folder_ / name;
    fs::create_directories(fs::path(file).parent_path());
    std::ofstream(file) << content;
    return file;
  }

  std::string archive(const std::string& name, const std::vector<std::string>& files, bool is_thin) const {
    std::vector<llvm::NewArchiveMember> members;
    for (const std::string& file : files) {
      members.push_back(llvm::cantFail(llvm::NewArchiveMember::getFile(file, true)));
      if (!is_thin) members.back().MemberName = members.back().MemberName.rsplit('/').second;
    }
    const std::string path = folder_ / name;
    llvm::cantFail(llvm::writeArchive(path, members, llvm::SymtabWritingMode::NormalSymtab,
                                      llvm::object::Archive::K_GNU, true, is_thin));
    return path;
  }

 private:
  const fs::path folder_ = fs::path(testing::TempDir()) / ("taihu_code_files." + std::to_string(getpid()));
};

TEST_F(CodeFiles, ReadsNamesCodeAndOptions) {
  const CodeFile file = read_code_file({put("a.o", object_that_defines("given")), ""});
  EXPECT_TRUE(file.is_object);
  EXPECT_EQ(file.code, "BC");
  EXPECT_EQ(file.options, (std::vector<CompilerOption>{{"-O2"}}));
  EXPECT_EQ(file.defined, (Names{"given", "soft"}));
  EXPECT_EQ(file.weak, Names{"soft"});
  EXPECT_EQ(file.undefined, (Names{"perhaps", "wanted"}));
  EXPECT_EQ(file.certain, Names{"one"});
  EXPECT_EQ(file.possible, Names{"two"});
  EXPECT_TRUE(file.tells_names);
  EXPECT_TRUE(is_joined(file));
}

TEST_F(CodeFiles, SeesWhetherAnotherToolHasWrittenTheObject) {
  const auto is_as_compiled = [&](const char* table) {
    return read_code_file({put("a.o", object_that_defines("given", table)), ""}).is_as_compiled;
  };
  EXPECT_TRUE(is_as_compiled(".symtab"));
  EXPECT_FALSE(is_as_compiled("0"));
  EXPECT_FALSE(is_as_compiled("99"));
}

TEST_F(CodeFiles, ReadsMembersOfArchives) {
  const std::string one = put("a.o", object_that_defines("one")),
                    two = put("in/a.o", object_that_defines("two"));
  const CodeFile file = read_code_file({archive("l.a", {one}, false), "a.o"});
  EXPECT_EQ(file.defined, (Names{"one", "soft"}));
  EXPECT_EQ(file.problem, "");
  EXPECT_TRUE(title_of(file).ends_with("l.a(a.o)"));
  EXPECT_EQ(read_code_file({archive("l.a", {one, two}, false), "a.o"}).problem,
            "its archive has several members of this name");
}

TEST_F(CodeFiles, FindsFilesThatAnArchiveNames) {
  const std::string one = put("one.o", object_that_defines("one")),
                    two = put("two.o", object_that_defines("two"));
  const std::string file = archive("libthin.a", {one, two}, true);
  const std::string folder = fs::path(file).parent_path().string();
  const std::vector<std::vector<std::string>> lines = {{"-L" + folder, "-lthin"},
                                                       {"-L", folder, "-l", "thin"},
                                                       {"--library-path=" + folder, "--library=thin"},
                                                       {"--library-path", folder, "--library", "thin"},
                                                       {"-L" + folder, "-l:libthin.a"},
                                                       {file}};
  for (const std::vector<std::string>& words : lines) {
    LinkLine line;
    line.words = {"-o", "program", two};
    line.words.insert(line.words.end(), words.begin(), words.end());
    std::vector<UsedFile> used = {{one, ""}, {two, ""}};
    find_thin_members(used, line);
    EXPECT_EQ(used[0].file, file) << words[0];
    EXPECT_EQ(read_code_file(used[0]).defined, (Names{"one", "soft"}));
    EXPECT_EQ(used[1], (UsedFile{two, ""})) << "it is a word of its own";
  }
}

TEST_F(CodeFiles, ReadsObjectsOfLinkTimeOptimisersAndScripts) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  const auto module = llvm::parseAssemblyString(
      "target triple = \"x86_64-pc-linux-gnu\"\ntarget datalayout = \"e-i64:64\"\ndeclare void "
      "@outer()\ndefine void @inner() {\n call void "
      "@outer()\n"
      " ret void\n}\n",
      error, context);
  ASSERT_NE(module, nullptr);
  std::string code;
  llvm::raw_string_ostream stream(code);
  llvm::WriteBitcodeToFile(*module, stream);
  const CodeFile file = read_code_file({put("later.o", code), ""});
  EXPECT_TRUE(file.is_object);
  EXPECT_EQ(file.defined, Names{"inner"});
  EXPECT_EQ(file.undefined, Names{"outer"});
  EXPECT_FALSE(is_joined(file));
  const CodeFile script = read_code_file({put("script", "PROVIDE(one = two + 4);"), ""});
  EXPECT_FALSE(script.is_object);
  EXPECT_TRUE(script.undefined.contains("two"));
}

TEST_F(CodeFiles, SaysWhatCannotBeRead) {
  EXPECT_THROW(read_code_file({put("short.o", "\177ELF"), ""}), Error);
  EXPECT_THROW(read_code_file({"/does/not/exist.o", ""}), Error);
}

/// A file that the linker has used; joined where it has code.
CodeFile used_file(const std::string& file, const std::string& member, bool is_joined,
                   const Names& constructors) {
  CodeFile used;
  used.place = {file, member};
  used.is_object = true;
  used.code = is_joined ? "BC" : "";
  used.constructor_sections = constructors;
  return used;
}

TEST(Constructors, HaveAPlaceBehindTheFilesBeforeThem) {
  const Names some = {".init_array"};
  LinkLine line;
  line.words = {"start.o", "a.o", "other.o", "b.o", "l.a", "c.o"};
  std::vector<CodeFile> files = {
      used_file("start.o", "", false, some),   used_file("a.o", "", true, some),
      used_file("other.o", "", false, some),   used_file("b.o", "", true, some),
      used_file("l.a", "one.o", true, some),   used_file("l.a", "other.o", false, some),
      used_file("l.a", "two.o", true, some),   used_file("l.a", "early.o", false, {".init_array.101"}),
      used_file("l.a", "last.o", false, some), used_file("c.o", "", true, {})};
  EXPECT_EQ(
      find_places_of_constructors(files, line),
      (std::vector<std::string>{"constructors of l.a(two.o) run behind those of l.a(last.o), before which "
                                "the linker takes it"}));
  EXPECT_EQ(files[1].before_constructors, UsedFile());
  EXPECT_EQ(files[3].before_constructors, (UsedFile{"b.o", ""}));
  EXPECT_EQ(files[4].before_constructors, (UsedFile{"b.o", ""}));
  EXPECT_EQ(files[6].before_constructors, (UsedFile{"l.a", "other.o"}));
  EXPECT_EQ(files[9].before_constructors, (UsedFile{"c.o", ""}));
  files[2].constructor_sections.clear();
  files.resize(5);
  EXPECT_TRUE(find_places_of_constructors(files, line).empty());
  EXPECT_EQ(files[3].before_constructors, UsedFile()) << "nothing stands between";
}

TEST_F(CodeFiles, NamesTheSourceOfTemporaryObjects) {
  CodeFile file;
  file.source = "folder/a.c";
  file.place = {(fs::temp_directory_path() / "a-12ab9f.o").string(), ""};
  EXPECT_EQ(title_of(file), "folder/a.c");
  file.place = {"a-12ab9f.o", ""};
  EXPECT_EQ(title_of(file), "a-12ab9f.o");
}

TEST_F(CodeFiles, FindsNamesInWordsOfTheLinker) {
  const Names names =
      names_in_words({"-uone", "--defsym=two=three+4", put("list", "{ four; };"), std::string(9000, 'x')});
  for (const char* name : {"one", "two", "three", "four"}) EXPECT_TRUE(names.contains(name)) << name;
}

}  // namespace
}  // namespace taihu::compiler
