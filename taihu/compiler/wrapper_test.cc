// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/wrapper.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "taihu/base/error.h"

namespace taihu::compiler {
namespace {

using Words = std::vector<std::string>;

bool has_word(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::ptrdiff_t place(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) - words.begin();
}

WrapperFiles complete_files() {
  WrapperFiles files;
  files.compiler = {"gcc"};
  files.include = "/t/include";
  files.library_folder = "/t/lib";
  files.library = "/t/lib/libmpi_abi.so";
  files.program.start_object = "/t/lib/taihu/mpi_start.o";
  files.program.start_script = "/t/lib/taihu/start.ld";
  files.program.exports = "/t/lib/taihu/mpi_exports.map";
  files.program.start_file = "/usr/lib/Scrt1.o";
  return files;
}

Words line(const Words& words, const WrapperFiles& files = complete_files()) {
  return compiler_command(macc, read_wrapper_command(macc, words), files);
}

std::string said(const Words& words, const WrapperFiles& files = complete_files()) {
  return answer(macc, read_wrapper_command(macc, words), files);
}

TEST(Wrapper, links_an_executable_shared_object) {
  const Words words = line({"-O2", "a.c", "-o", "a", "-lm"});
  EXPECT_EQ(words.front(), "gcc");
  for (const char* word : {"-shared", "-Bsymbolic", "defs", "_start", "/usr/lib/Scrt1.o",
                           "/t/lib/taihu/mpi_start.o", "--version-script=/t/lib/taihu/mpi_exports.map"})
    EXPECT_TRUE(has_word(words, word)) << word;
  EXPECT_LT(place(words, "-lm"), place(words, "-lmpi_abi")) << "libraries of the user may need ours";
  EXPECT_TRUE(has_word(words, "-Wl,-rpath,/t/lib"));
}

TEST(Wrapper, our_header_comes_first_and_position_independence_last) {
  const Words words = line({"-Ifake", "-fPIE", "-fno-pic", "-pie", "-no-pie", "-c", "a.c"});
  EXPECT_LT(place(words, "-I/t/include"), place(words, "-Ifake"));
  EXPECT_LT(place(words, "-fno-pic"), place(words, "-fPIC"));
  EXPECT_FALSE(has_word(words, "-pie") || has_word(words, "-no-pie"));
  EXPECT_FALSE(has_word(words, "-lmpi_abi")) << "nothing to link";
  EXPECT_FALSE(has_word(words, "-shared"));
}

TEST(Wrapper, libraries_and_partial_links_are_ordinary) {
  const Words library = line({"-shared", "a.o", "-o", "liba.so"});
  EXPECT_TRUE(has_word(library, "-lmpi_abi"));
  EXPECT_FALSE(has_word(library, "defs") || has_word(library, "/t/lib/taihu/mpi_start.o"));
  const Words partial = line({"-r", "a.o", "-o", "b.o"});
  EXPECT_FALSE(has_word(partial, "-lmpi_abi") || has_word(partial, "-shared"));
}

TEST(Wrapper, leaves_questions_to_the_compiler_alone) {
  for (const char* word : {"--version", "-v", "-dumpmachine", "-print-search-dirs"})
    EXPECT_EQ(line({word}), (Words{"gcc", word}));
  EXPECT_EQ(line({}), Words{"gcc"});
}

TEST(Wrapper, exports_what_the_user_says_else_only_main) {
  const std::string own = "--version-script=/t/lib/taihu/mpi_exports.map";
  EXPECT_TRUE(has_word(line({"a.c"}), own));
  EXPECT_FALSE(has_word(line({"-rdynamic", "a.c"}), own));
  EXPECT_FALSE(has_word(line({"-Wl,--version-script=x", "a.c"}), own));
}

TEST(Wrapper, compiler_of_the_option) {
  EXPECT_EQ(read_wrapper_command(macc, {"-cc=clang -m64", "a.c"}).compiler, "clang -m64");
  EXPECT_EQ(read_wrapper_command(macxx, {"-cxx=icpx", "a.cc"}).compiler, "icpx");
  EXPECT_EQ(read_wrapper_command(mafc, {"-fc=ifx", "a.f90"}).compiler, "ifx");
  EXPECT_FALSE(has_word(line({"-cc=clang", "a.c"}), "-cc=clang"));
  EXPECT_THROW(read_wrapper_command(macc, {"-cc=", "a.c"}), UsageError);
}

TEST(Wrapper, clang_gets_no_warnings_for_what_we_add) {
  WrapperFiles files = complete_files();
  files.clang = true;
  const Words words = line({"-c", "a.c", "--"}, files);
  EXPECT_EQ(std::count(words.begin(), words.end(), "--start-no-unused-arguments"), 2);
  EXPECT_LT(place(words, "-fPIC"), place(words, "--")) << "behind it are files";
}

TEST(Wrapper, flang_gets_the_forms_it_knows) {
  WrapperFiles files = complete_files();
  files.clang = files.flang = true;
  const Words words = line({"a.f90"}, files);
  EXPECT_FALSE(has_word(words, "-Xlinker") || has_word(words, "--start-no-unused-arguments"));
  EXPECT_TRUE(has_word(words, "-Wl,-Bsymbolic"));
  files.program.start_object = "/a,b/mpi_start.o";
  EXPECT_THROW(line({"a.f90"}, files), Error);
}

TEST(Wrapper, shows_flags_for_a_plain_compiler) {
  const std::string flags = "-L/t/lib -Wl,-rpath,/t/lib -lmpi_abi\n";
  EXPECT_EQ(said({"-show"}), "gcc -I/t/include -fPIC " + flags);
  EXPECT_EQ(said({"-show", "-c"}), "gcc -I/t/include -fPIC -c\n");
  for (const std::string dashes : {"-", "--"}) {
    EXPECT_EQ(said({dashes + "showme:compile"}), "-I/t/include -fPIC\n");
    EXPECT_EQ(said({dashes + "showme:link"}), flags);
    EXPECT_EQ(said({dashes + "showme:incdirs"}), "/t/include\n");
    EXPECT_EQ(said({dashes + "showme:libdirs"}), "/t/lib\n");
    EXPECT_EQ(said({dashes + "showme:libs"}), "mpi_abi\n");
    EXPECT_EQ(said({dashes + "showme:command"}), "gcc\n");
    EXPECT_NE(said({dashes + "showme:version"}).find("Taihu"), std::string::npos);
  }
  EXPECT_EQ(said({"-compile_info"}), "gcc -I/t/include -fPIC\n");
  EXPECT_EQ(said({"-link_info"}), "gcc " + flags);
  EXPECT_THROW(read_wrapper_command(macc, {"-showme:colour"}), UsageError);
}

TEST(Wrapper, shows_the_command_that_would_run) {
  const std::string text = said({"-show", "it's.c"});
  std::string joined;
  for (const std::string& word : line({"a.c"})) joined += (joined.empty() ? "" : " ") + word;
  EXPECT_NE(text.find("'it'\\''s.c'"), std::string::npos);
  EXPECT_EQ(said({"a.c", "-show"}), joined + "\n");
}

TEST(Wrapper, shows_folders_with_spaces_as_find_mpi_reads_them) {
  WrapperFiles files = complete_files();
  files.include = "/a b/include";
  files.library_folder = "/a b/lib";
  EXPECT_EQ(said({"-showme:compile"}, files), "-I\"/a b/include\" -fPIC\n");
  EXPECT_EQ(said({"-showme:link"}, files), "-L\"/a b/lib\" -Wl,\"-rpath,/a b/lib\" -lmpi_abi\n");
  EXPECT_EQ(said({"-showme:incdirs"}, files), "'/a b/include'\n");
  files.include = "/a $b/include";
  EXPECT_EQ(said({"-showme:compile"}, files), "'-I/a $b/include' -fPIC\n") << "a shell would look b up";
}

TEST(Wrapper, fortran_modules_and_library_where_they_are) {
  WrapperFiles files = complete_files();
  files.modules = "/t/include/taihu/fortran/gfortran-12";
  files.fortran_library = "/t/lib/libmpi_abi_fortran.so";
  const Words words = line({"a.f90"}, files);
  EXPECT_TRUE(has_word(words, "-I" + files.modules));
  EXPECT_LT(place(words, "-lmpi_abi_fortran"), place(words, "-lmpi_abi"));
  EXPECT_EQ(said({"-showme:libs"}, files), "mpi_abi_fortran mpi_abi\n");
  files.fortran_library = "/t/lib/taihu/fortran/gfortran-12/libmpi_abi_fortran.so";
  EXPECT_TRUE(said({"-showme:link"}, files).starts_with("-L/t/lib/taihu/fortran/gfortran-12 -Wl,-rpath,/t/"));
}

TEST(Wrapper, refuses_what_cannot_be) {
  for (const char* option : {"-static", "-static-pie", "-static-libgfortran", "-nostdlib", "-nostartfiles",
                             "-m32", "-fsanitize=address", "-ftls-model=local-exec"})
    EXPECT_THROW(read_wrapper_command(macc, {option, "a.c"}), UsageError) << option;
  for (const char* option : {"-static", "-fsanitize=address"})
    EXPECT_NO_THROW(read_wrapper_command(macc, {option, "-c", "a.c"})) << option;
  EXPECT_NO_THROW(read_wrapper_command(macc, {"-static-libgcc", "a.c"}));
}

TEST(Wrapper, says_which_file_is_missing) {
  WrapperFiles files = complete_files();
  files.library.clear();
  EXPECT_THROW(line({"a.c"}, files), Error);
  EXPECT_NO_THROW(line({"-c", "a.c"}, files));
}

}  // namespace
}  // namespace taihu::compiler
