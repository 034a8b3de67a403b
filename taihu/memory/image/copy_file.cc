// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/copy_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "taihu/base/error.h"

namespace taihu::memory {
namespace {

void put(std::fstream& file, const ElfObject& object, std::uint64_t begin, std::uint64_t bytes) {
  file.seekp(static_cast<std::streamoff>(begin));
  file.write(reinterpret_cast<const char*>(object.content().data() + begin),
             static_cast<std::streamsize>(bytes));
}

}  // namespace

bool is_under_valgrind() noexcept {
  static const bool is_under = [] {
    const char* preloaded = std::getenv("LD_PRELOAD");
    return preloaded != nullptr && std::strstr(preloaded, "/vgpreload_") != nullptr;
  }();
  return is_under;
}

CopyFile::CopyFile(const ElfObject& object) {
  namespace fs = std::filesystem;
  std::error_code error;
  folder_ = (fs::temp_directory_path(error) / "taihu-XXXXXX").string();
  if (error || mkdtemp(folder_.data()) == nullptr)
    throw system_error(
        "cannot make a folder for the copies that valgrind needs; set TMPDIR to a place where "
        "there may be one",
        error ? error.value() : errno);
  path_ = (fs::path(folder_) / fs::path(object.path()).filename()).string();
  fs::copy_file(object.path(), path_, error);
  if (!error) fs::permissions(path_, fs::perms::owner_all, error);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  // The file's own header stays: the master's leads to no section table.
  for (const Elf64_Phdr& load : object.loads()) {
    const std::uint64_t begin = std::max<std::uint64_t>(load.p_offset, sizeof(Elf64_Ehdr));
    const std::uint64_t end = load.p_offset + load.p_filesz;
    if (begin < end) put(file, object, begin, end - begin);
  }
  file.close();
  if (!error && file) return;
  fs::remove_all(folder_, error);
  throw Error("cannot copy '" + object.path() + "' to " + folder_ +
              ", as valgrind needs it; see whether there is room, or set TMPDIR to another folder");
}

CopyFile::~CopyFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace taihu::memory
