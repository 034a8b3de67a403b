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
  const ElfObject self("/proc/self/exe");
  return find_library("libm.so.6", self).value_or("no libm");
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
  const ElfObject self("/proc/self/exe");
  EXPECT_TRUE(self.is_program());
  EXPECT_TRUE(self.find_function("main"));
  EXPECT_FALSE(self.find_function("no such function"));
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

TEST(ElfObject, SurvivesDamage) {
  const std::string whole = contents(libm());
  Random random(6);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    // Headers and the tables behind them are what a reader trusts.
    for (int byte = 0; byte < 3; ++byte)
      damaged[64 + random.below(i % 2 ? 700 : 30000)] = static_cast<char>(random.next());
    const TemporaryFile file(damaged);
    try {
      const ElfObject object(file.path());
      object.find_function("main");
    } catch (const Error&) {
      SUCCEED();
    }
  }
}

TEST(LibrarySearch, KnowsTheUsersOwnLibraries) {
  EXPECT_TRUE(is_private_library("libmine.so", "/home/me/libmine.so", {}));
  EXPECT_FALSE(is_private_library("libz.so.1", "/lib/x86_64-linux-gnu/libz.so.1", {}));
  EXPECT_TRUE(is_private_library("libz.so.1", "/lib/x86_64-linux-gnu/libz.so.1", {"libz."}));
  EXPECT_TRUE(is_private_library("libgfortran.so.5", "/usr/lib/x86_64-linux-gnu/libgfortran.so.5", {}));
  EXPECT_TRUE(is_private_library("libstdc++.so.6", "/usr/lib/libstdc++.so.6", {}));
  EXPECT_FALSE(is_private_library("libc.so.6", "/home/me/libc.so.6", {}));
  EXPECT_FALSE(is_private_library("libparallelc.so", "/home/me/taihu/lib/libparallelc.so", {}));
  EXPECT_FALSE(is_private_library("libomp.so.5", "/opt/llvm/lib/libomp.so.5", {}));
}

}  // namespace
}  // namespace taihu::memory
