// SPDX-License-Identifier: Apache-2.0
#include "taihu/compiler/link_line.h"

#include <gtest/gtest.h>

#include "taihu/base/error.h"

namespace taihu::compiler {
namespace {

using Words = std::vector<std::string>;

LinkLine line_of(Words words) {
  LinkLine own;
  own.linker = "/bin/ld";
  own.clang = "clang";
  own.version = "1.0 with clang 19";
  own.options = {"-taihu-layout=text"};
  own.keeps_exports = true;
  const Words more = own_words(own);
  words.insert(words.begin() + static_cast<long>(words.size()) / 2, more.begin(), more.end());
  return read_link_line(words);
}

TEST(LinkLine, TakesWhatParccHasAdded) {
  const LinkLine line = line_of({"-shared", "-o", "program", "a.o", "-lm"});
  EXPECT_EQ(line.linker, "/bin/ld");
  EXPECT_EQ(line.clang, "clang");
  EXPECT_EQ(line.version, "1.0 with clang 19");
  EXPECT_EQ(line.options, Words{"-taihu-layout=text"});
  EXPECT_TRUE(line.keeps_exports);
  EXPECT_EQ(line.output, "program");
  EXPECT_EQ(line.words, (Words{"-shared", "-o", "program", "a.o", "-lm"}));
  EXPECT_TRUE(line.has("-shared"));
  EXPECT_FALSE(line.has("-o="));
  EXPECT_TRUE(line.names("a.o"));
  EXPECT_FALSE(line.names("program"));
  EXPECT_TRUE(line_of({"--wrap=f"}).has("--wrap"));
  EXPECT_TRUE(line_of({"-whole-archive"}).has("--whole-archive"));
  EXPECT_FALSE(line_of({"-no-whole-archive", "whole-archive"}).has("--whole-archive"));
  EXPECT_FALSE(line_of({"--wrapped"}).has("--wrap"));
  EXPECT_THROW(read_link_line({"a.o"}), UsageError);
}

TEST(LinkLine, WritesToAnotherFile) {
  EXPECT_EQ(with_output(line_of({"-o", "program", "a.o"}), "first"), (Words{"-o", "first", "a.o"}));
  EXPECT_EQ(with_output(line_of({"a.o"}), "first"), (Words{"a.o", "-o", "first"}));
}

TEST(LinkLine, TheJoinedObjectStandsWhereTheFirstOfItsFilesStood) {
  const std::vector<UsedFile> joined = {{"a.o", ""}, {"b.o", ""}, {"c.a", "c.o"}};
  EXPECT_EQ(with_joined(line_of({"start.o", "a.o", "other.o", "b.o", "c.a"}), joined, "all.o"),
            (Words{"start.o", "all.o", "other.o", "c.a"}));
  EXPECT_EQ(with_joined(line_of({"start.o", "-lc", "b.o"}), {{"b.o", ""}}, "all.o"),
            (Words{"start.o", "-lc", "all.o"}));
  EXPECT_EQ(with_joined(line_of({"--exclude-libs", "c.a", "-lm", "c.a"}), {{"c.a", "c.o"}}, "all.o"),
            (Words{"--exclude-libs", "c.a", "-lm", "all.o", "c.a"}));
  EXPECT_EQ(with_joined(line_of({"-lm", "-lb"}), {{"./libb.a", "b.o"}}, "all.o"),
            (Words{"-lm", "all.o", "-lb"}));
  EXPECT_EQ(with_joined(line_of({"-lm", "-l", "b"}), {{"./libb.a", "b.o"}}, "all.o"),
            (Words{"-lm", "all.o", "-l", "b"}));
  EXPECT_EQ(with_joined(line_of({"-lm", "--library=b", "-lc"}), {{"./libb.a", "b.o"}}, "all.o"),
            (Words{"-lm", "all.o", "--library=b", "-lc"}));
  // The linker found the archive by another word, which may be any.
  EXPECT_EQ(with_joined(line_of({"start.o", "-lx", "b.o"}), {{"b.o", ""}, {"c.a", "c.o"}}, "all.o"),
            (Words{"start.o", "all.o", "-lx"}));
  EXPECT_EQ(with_joined(line_of({"-o", "a.o", "b.o"}), joined, "all.o"), (Words{"-o", "a.o", "all.o"}));
}

TEST(LinkLine, AddedObjectsStandBehindTheirFile) {
  const auto words = [](const Words& line, const std::string& before) {
    return with_joined(line_of(line), {{"a.o", ""}, {"b.o", ""}}, "all.o",
                       {{"one.o", before}, {"two.o", before}});
  };
  EXPECT_EQ(words({"a.o", "other.o", "b.o", "-lm"}, "other.o"),
            (Words{"all.o", "other.o", "one.o", "two.o", "-lm"}));
  EXPECT_EQ(words({"a.o", "b.o", "-lm"}, "b.o"), (Words{"all.o", "one.o", "two.o", "-lm"}));
  EXPECT_EQ(words({"a.o", "-lc", "b.o", "-l", "c", "-lm"}, "./libc.a"),
            (Words{"all.o", "-lc", "-l", "c", "one.o", "two.o", "-lm"}));
  EXPECT_EQ(words({"a.o", "-lm"}, "elsewhere.a"), (Words{"all.o", "-lm", "one.o", "two.o"}));
}

TEST(LinkLine, KnowsWhereArchivesAreSought) {
  const Words words = {
      "-Lone", "-L",  "two",    "--library-path=three", "--library-path", "four", "-o",   "-Lfive", "-l",
      "m",     "-la", "-l:b.o", "--library=c",          "--library",      "d",    "--lto"};
  EXPECT_EQ(library_folders(words), (Words{"one", "two", "three", "four"}));
  Words names;
  for (std::size_t k = 0; k < words.size(); ++k)
    if (const std::string name = archive_sought(words, k); !name.empty()) names.push_back(name);
  EXPECT_EQ(names, (Words{"libm.a", "liba.a", "b.o", "libc.a", "libd.a"}));
}

TEST(LinkLine, ReadsWhatLinkersTrace) {
  const std::vector<UsedFile> files = read_trace(
      "GNU ld (2.42)\na.o\n(lib one.a)b.o\n(d "
      "(1)/l.a)b.o\nlibtwo.a(c.o)\n/lib/libc.so.6\n/lib/libc.so.6\n\n(broken\n",
      [](const std::string& file) {
        return file.ends_with(".o") ? file == "a.o" : file.ends_with(".a") || file.ends_with(".6");
      });
  EXPECT_EQ(files, (std::vector<UsedFile>{{"a.o", ""},
                                          {"lib one.a", "b.o"},
                                          {"d (1)/l.a", "b.o"},
                                          {"libtwo.a", "c.o"},
                                          {"/lib/libc.so.6", ""}}));
}

}  // namespace
}  // namespace taihu::compiler
