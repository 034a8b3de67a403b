// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "taihu/base/error.h"
#include "taihu/compiler/driver.h"
#include "taihu/compiler/response_file.h"

namespace taihu::compiler {
namespace {

using Words = std::vector<std::string>;

bool holds(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Toolchain complete() {
  return {
      "clang-19",
      "/t/lib/plugin.so",
      "/t/include",
      "/t/lib",
      "/t/lib/libparallelc.so",
      {"/usr/lib/Scrt1.o", "", "/t/lib/taihu/start.o", "/t/lib/taihu/start.ld", "/t/lib/taihu/exports.map"},
      "/t/lib/taihu/program.ld",
      "/t/lib/taihu/library.ld",
      "/t/runtimes"};
}

TEST(Command, SaysWhatIsProduced) {
  EXPECT_EQ(read_command({"a.c"}).output, Output::program);
  EXPECT_EQ(read_command({"a.o", "-o", "a"}).output, Output::program);
  EXPECT_EQ(read_command({"-c", "a.c"}).output, Output::objects);
  EXPECT_EQ(read_command({"-E", "-x", "c", "-"}).output, Output::objects);
  EXPECT_EQ(read_command({"a.h"}).output, Output::objects);
  EXPECT_EQ(read_command({"-x", "c-header", "a"}).output, Output::objects);
  EXPECT_EQ(read_command({"-shared", "a.c"}).output, Output::shared_library);
  EXPECT_EQ(read_command({"--version"}).output, Output::nothing);
  EXPECT_EQ(read_command({}).output, Output::nothing);
}

TEST(Command, ValuesOfOptionsAreNotInputs) {
  EXPECT_EQ(read_command({"-o", "a.c"}).output, Output::nothing);
  EXPECT_EQ(read_command({"-I", "-c", "a.c"}).output, Output::program);
  EXPECT_FALSE(read_command({"-include", "x.cc", "a.c"}).cxx);
  EXPECT_TRUE(read_command({"x.cc"}).cxx);
  EXPECT_FALSE(read_command({"-x", "c", "x.cc"}).cxx);
  EXPECT_TRUE(read_command({"-x", "c", "x", "-x", "none", "x.cc"}).cxx);
}

TEST(Command, TakesOwnOptionsOut) {
  const Command command = read_command({"--spm=128K", "--check", "-no-pie", "-pie", "a.c"});
  EXPECT_EQ(command.arguments, Words{"a.c"});
  EXPECT_EQ(command.scratchpad_bytes, 128 * 1024);
  EXPECT_TRUE(command.check);
  EXPECT_TRUE(read_command({"-g", "a.c"}).check);
}

TEST(Command, ChecksWhereDebugInformationIsWanted) {
  for (const char* option : {"-g", "-g1", "-g3", "-ggdb", "-ggdb3", "-gdwarf-4", "-gline-tables-only"})
    EXPECT_TRUE(read_command({option, "a.c"}).check) << option;
  for (const char* option : {"-g0", "-ggdb0", "-gz", "-gz=zlib", "-gsplit-dwarf", "-gno-column-info",
                             "-gcolumn-info", "-gpubnames", "-grecord-gcc-switches", "-gcc-toolchain=/usr"})
    EXPECT_FALSE(read_command({option, "a.c"}).check) << option;
}

TEST(Command, RefusesWhatCannotBe) {
  for (const char* option : {"--model=parallel", "--model", "--spm-model=/nowhere", "--spm-model-pictures=",
                             "--report=layout", "--report", "--report=loops", "--spm=many", "--spm=0",
                             "-static", "-nostdlib", "-fuse-ld=gold", "-m32", "-fsanitize=address"})
    EXPECT_THROW(read_command({option, "a.c"}), UsageError) << option;
  EXPECT_NO_THROW(read_command({"-fsanitize=address", "-c", "a.c"}));
  EXPECT_NO_THROW(read_command({"-fsanitize=undefined", "a.c"}));
}

TEST(Command, HostLoopsNeedOptimisedCodeAndCaches) {
  const Words line = clang_command(read_command({"-O2", "--optimise-for-host", "a.c"}), complete());
  EXPECT_TRUE(holds(line, "-taihu-host-loops"));
  EXPECT_FALSE(holds(line, "--optimise-for-host"));
  EXPECT_FALSE(holds(clang_command(read_command({"-O2", "a.c"}), complete()), "-taihu-host-loops"));
  EXPECT_THROW(read_command({"--optimise-for-host", "a.c"}), UsageError);
  for (const char* option : {"--auto-dma", "--spm-model", "-flto"})
    EXPECT_THROW(read_command({"-O2", "--optimise-for-host", option, "a.c"}), UsageError) << option;
}

TEST(Command, WholeProgramsAreCompiledByTheirLinker) {
  Toolchain tools = complete();
  tools.whole_program_linker = "/t/libexec/taihu/parcc-link";
  tools.linker = "/bin/ld";
  const Words object =
      clang_command(read_command({"-O2", "--whole-program", "--report=layout", "-c", "a.c"}), tools);
  for (const char* word : {"-fembed-bitcode=marker", "-taihu-whole-program", "-gline-tables-only"})
    EXPECT_TRUE(holds(object, word)) << word;
  EXPECT_FALSE(holds(object, "-taihu-layout=text"));
  const Words program = clang_command(
      read_command({"-O2", "--whole-program", "--report=layout", "--ld-path=/bin/ld", "a.o"}), tools);
  for (const char* word : {"--ld-path=/t/libexec/taihu/parcc-link", "--taihu-linker=/bin/ld",
                           "--taihu-option=-taihu-layout=text"})
    EXPECT_TRUE(holds(program, word)) << word;
  EXPECT_LT(std::find(program.begin(), program.end(), "--ld-path=/bin/ld"),
            std::find(program.begin(), program.end(), "--ld-path=/t/libexec/taihu/parcc-link"));
  EXPECT_FALSE(holds(clang_command(read_command({"-O2", "--whole-program", "-shared", "a.o"}), tools),
                     "--ld-path=/t/libexec/taihu/parcc-link"));
  EXPECT_THROW(read_command({"--whole-program", "-flto", "a.c"}), UsageError);
  tools.whole_program_linker.clear();
  EXPECT_THROW(clang_command(read_command({"--whole-program", "a.o"}), tools), Error);
}

TEST(Command, TheLastModelCounts) {
  EXPECT_FALSE(read_command({"a.c"}).autonomic);
  EXPECT_TRUE(read_command({"--model=autonomic", "a.c"}).autonomic);
  EXPECT_FALSE(read_command({"--model=autonomic", "--model=accelerated", "a.c"}).autonomic);
  const Words line = clang_command(read_command({"--model=autonomic", "--no-proxy-opt", "a.c"}), complete());
  for (const char* word : {"-fplugin-arg-parallelc-autonomic", "-taihu-autonomic", "-taihu-no-proxy-opt"})
    EXPECT_TRUE(holds(line, word)) << word;
  EXPECT_FALSE(holds(line, "--model=autonomic"));
}

TEST(Command, LinksAnExecutableSharedObject) {
  const Words line = clang_command(read_command({"-fPIE", "a.c"}), complete());
  for (const char* word :
       {"-shared", "-Bsymbolic", "defs", "_start", "/usr/lib/Scrt1.o", "/t/lib/taihu/start.o",
        "/t/lib/libparallelc.so", "--defsym=taihu_scratchpad_capacity=65536"})
    EXPECT_TRUE(holds(line, word)) << word;
  EXPECT_LT(std::find(line.begin(), line.end(), "-fPIE"), std::find(line.begin(), line.end(), "-fPIC"));
}

TEST(Command, SaysWhichFileIsMissing) {
  Toolchain tools = complete();
  tools.library.clear();
  EXPECT_THROW(clang_command(read_command({"a.c"}), tools), Error);
  EXPECT_NO_THROW(clang_command(read_command({"-c", "a.c"}), tools));
}

TEST(ResponseFile, SplitsAsGccDoes) {
  EXPECT_EQ(split_arguments(" a\t'b c' \"d\\\"e\"\nf\\ g '' "), (Words{"a", "b c", "d\"e", "f g", ""}));
  EXPECT_TRUE(split_arguments(" \n").empty());
}

TEST(ResponseFile, ExpandsNestedFilesAndKeepsUnknownOnes) {
  const std::string folder = testing::TempDir();
  std::ofstream(folder + "/inner.rsp") << "-c";
  std::ofstream(folder + "/outer.rsp") << "-O2 @" << folder << "/inner.rsp a.c";
  EXPECT_EQ(expand_response_files({"@" + folder + "/outer.rsp", "@nowhere"}),
            (Words{"-O2", "-c", "a.c", "@nowhere"}));
  std::ofstream(folder + "/self.rsp") << "@" << folder << "/self.rsp";
  EXPECT_THROW(expand_response_files({"@" + folder + "/self.rsp"}), UsageError);
  EXPECT_THROW(expand_response_files({"@" + folder}), UsageError);
}

TEST(Command, KnowsTheLinker) {
  EXPECT_EQ(read_command({"a.c"}).linker, "");
  EXPECT_EQ(read_command({"-fuse-ld=gold", "-fuse-ld=lld", "a.c"}).linker, "lld");
  EXPECT_EQ(read_command({"--ld-path=/opt/bin/ld.lld", "a.c"}).linker, "lld");
  EXPECT_THROW(read_command({"--ld-path=/opt/bin/ld.gold", "a.c"}), UsageError);
}

TEST(Command, TheLastOptionAboutFastMathCounts) {
  EXPECT_FALSE(read_command({"a.c"}).fast_math);
  EXPECT_TRUE(read_command({"-ffast-math", "a.c"}).fast_math);
  EXPECT_TRUE(read_command({"-fno-fast-math", "-Ofast", "a.c"}).fast_math);
  EXPECT_FALSE(read_command({"-ffast-math", "-fno-fast-math", "a.c"}).fast_math);
}

TEST(Command, ExportsWhatTheUserSaysElseOnlyMain) {
  const auto line = [](const Words& words) { return clang_command(read_command(words), complete()); };
  EXPECT_TRUE(holds(line({"a.c"}), "--version-script=/t/lib/taihu/exports.map"));
  EXPECT_FALSE(holds(line({"-rdynamic", "a.c"}), "--version-script=/t/lib/taihu/exports.map"));
  EXPECT_FALSE(holds(line({"-Wl,-E", "a.c"}), "--version-script=/t/lib/taihu/exports.map"));
  EXPECT_FALSE(
      holds(line({"-Wl,--version-script=own.map", "a.c"}), "--version-script=/t/lib/taihu/exports.map"));
}

}  // namespace
}  // namespace taihu::compiler
