// SPDX-License-Identifier: Apache-2.0
// Reading of ELF files, mostly of damaged ones. Programs are run by tests/ranks.
#include "taihu/memory/image/elf_object.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

#include "taihu/base/descriptor.h"
#include "taihu/base/error.h"
#include "taihu/base/page_size.h"
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

ino_t inode(int fd) {
  struct stat status{};
  EXPECT_EQ(fstat(fd, &status), 0);
  return status.st_ino;
}

ino_t inode(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_ino;
}

TEST(ElfObject, ChangesOfALibraryAreNotInItsFile) {
  const TemporaryFile file(contents(libm()));
  const std::string whole = contents(file.path());
  const auto program = std::make_shared<const ElfObject>(TAIHU_PROGRAM_FOR_TESTS);
  ElfObject library(file.path(), program);
  EXPECT_EQ(inode(library.unchanged_fd()), inode(file.path()));
  const std::string_view name = library.symbols()[5].name;
  const std::uint64_t place = library.dynamic(DT_SYMTAB).value_or(0) + 5 * sizeof(Elf64_Sym);
  auto* const symbol = library.change<Elf64_Sym>(place);
  const Elf64_Sym before = *symbol;
  symbol->st_value = before.st_value + 1;
  library.keep_changes();

  const auto* const after = library.table<Elf64_Sym>(place);
  EXPECT_EQ(after->st_value, before.st_value + 1);
  EXPECT_EQ(library.symbols()[5].name, name) << "views outlive the edits";
  EXPECT_TRUE(contents(file.path()) == whole);
  const auto offset =
      static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(after) - library.content().data());
  Elf64_Sym kept{};
  ASSERT_EQ(pread(library.changes_fd(), &kept, sizeof kept, static_cast<off_t>(offset)),
            static_cast<ssize_t>(sizeof kept));
  EXPECT_EQ(kept.st_value, before.st_value + 1);
  EXPECT_EQ(kept.st_name, before.st_name);
  EXPECT_TRUE(library.is_changed(offset / page_bytes()));
  EXPECT_FALSE(library.is_changed(library.content().size() / page_bytes() - 1));
}

/// A library whose changes are kept, as writers of copies want it.
std::unique_ptr<ElfObject> kept_library(const std::string& path) {
  auto library =
      std::make_unique<ElfObject>(path, std::make_shared<const ElfObject>(TAIHU_PROGRAM_FOR_TESTS));
  library->keep_changes();
  return library;
}

TEST(ElfObject, WritesItsContentWithoutSendfile) {
  const TemporaryFile file(contents(libm())), copy("");
  const auto library = kept_library(file.path());
  const Descriptor end(open(copy.path().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  off_t begin = 0;
  ASSERT_EQ(sendfile(end.get(), library->unchanged_fd(), &begin, 1), -1) << "refuses to append";
  library->write_content(end.get(), 0, library->content().size());
  const std::string written = contents(copy.path());
  ASSERT_EQ(written.size(), library->content().size());
  EXPECT_EQ(std::memcmp(written.data(), library->content().data(), written.size()), 0);
}

TEST(ElfObject, SaysThatItsFileHasBecomeShorter) {
  const TemporaryFile file(contents(libm())), copy("");
  const auto library = kept_library(file.path());
  const std::uint64_t bytes = library->content().size();
  ASSERT_EQ(truncate(file.path().c_str(), static_cast<off_t>(2 * page_bytes())), 0);
  const Descriptor target(open(copy.path().c_str(), O_WRONLY | O_CLOEXEC));
  try {
    library->write_content(target.get(), 0, bytes);
    ADD_FAILURE() << "written from a file that is too short";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("it ends too early"), std::string::npos) << error.what();
  }
}

TEST(ElfObject, KeepsTheBytesOfAProgram) {
  const TemporaryFile file(contents(TAIHU_PROGRAM_FOR_TESTS));
  const ElfObject program(file.path());
  EXPECT_NE(inode(program.unchanged_fd()), inode(file.path()));
  const std::uint64_t main = program.find_function("main").value_or(0);
  const std::byte before = *program.at(main, 1);
  std::ofstream(file.path(), std::ios::binary | std::ios::trunc) << std::string(20000, 'x');
  EXPECT_EQ(*program.at(main, 1), before);
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
