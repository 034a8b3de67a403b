// SPDX-License-Identifier: Apache-2.0
// Reading of ELF files, mostly of damaged ones. Programs are run by tests/ranks.
#include "taihu/memory/image/elf_object.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iterator>

#include "taihu/base/error.h"
#include "taihu/base/random.h"
#include "taihu/memory/image/library_search.h"

namespace taihu::memory {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    char name[] = "/tmp/taihu-elf-XXXXXX";
    const int fd = mkstemp(name);
    path_ = name;
    EXPECT_EQ(write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    close(fd);
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string libm() {
  const ElfObject program(TAIHU_PROGRAM_FOR_TESTS);
  return find_library("libm.so.6", program).value_or("no libm");
}

TEST(ElfObject, ReadsTablesOfALibrary) {
  const ElfObject library(libm());
  EXPECT_EQ(library.soname(), "libm.so.6");
  EXPECT_FALSE(library.is_program());
  const ElfSymbol* sine = library.find_definition("sinh", "");
  ASSERT_TRUE(sine);
  EXPECT_TRUE(sine->version.starts_with("GLIBC_"));
  EXPECT_EQ(library.find_definition("sinh", sine->version), sine);
  EXPECT_EQ(library.find_definition("sinh", "GLIBC_99"), nullptr);
  EXPECT_EQ(library.find_definition("no such function", ""), nullptr);
  EXPECT_TRUE(library.calls_resolvers());
}

TEST(ElfObject, FindsFunctionsOfAProgram) {
  const ElfObject program(TAIHU_PROGRAM_FOR_TESTS);
  EXPECT_TRUE(program.is_program());
  EXPECT_TRUE(program.find_function("main"));
  EXPECT_FALSE(program.find_function("no such function"));
}

TEST(ElfObject, RefusesFilesThatAreNoPrograms) {
  EXPECT_THROW(ElfObject("/no/such/file"), Error);
  EXPECT_THROW(ElfObject("/tmp"), Error);
  EXPECT_THROW(ElfObject(TemporaryFile("").path()), Error);
  EXPECT_THROW(ElfObject(TemporaryFile("#!/bin/sh\n").path()), Error);
}

TEST(ElfObject, SurvivesEveryTruncation) {
  const std::string whole = contents(libm());
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    const TemporaryFile file(whole.substr(0, random.below(i < 30 ? 9000 : whole.size())));
    EXPECT_THROW(ElfObject{file.path()}, Error);
  }
}

/// What the makers of copies rely on without looking again.
void expect_consistent(const ElfObject& object) {
  for (const Elf64_Phdr& load : object.loads()) {
    EXPECT_LE(load.p_filesz, load.p_memsz);
    EXPECT_LE(load.p_offset + load.p_filesz, object.content().size());
    EXPECT_LE(load.p_vaddr + load.p_memsz, object.span_bytes());
  }
  for (const ElfRelocation& relocation : object.relocations())
    EXPECT_LE(relocation.symbol, object.symbols().size());
}

TEST(ElfObject, SurvivesDamage) {
  const std::string whole = contents(libm());
  Random random(6);
  int accepted = 0, refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    // Headers and the tables behind them are what a reader trusts.
    for (int byte = 0; byte < 3; ++byte)
      damaged[64 + random.below(i % 2 ? 700 : 30000)] = static_cast<char>(random.next());
    const TemporaryFile file(damaged);
    try {
      const ElfObject object(file.path());
      object.find_function("main");
      expect_consistent(object);
      ++accepted;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(file.path()), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(accepted, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace taihu::memory
