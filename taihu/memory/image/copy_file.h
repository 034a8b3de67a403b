// SPDX-License-Identifier: Apache-2.0
// Copies of objects under valgrind. It reads the symbols and debug information of a file by the file's name
// while that is being mapped; the memory objects that copies are otherwise have no such name, and only what
// the loader needs. So there each copy is a complete file for the time of its loading.
#pragma once

#include <string>

#include "taihu/memory/image/elf_object.h"

namespace taihu::memory {

/// Whether this process is run by valgrind.
bool is_under_valgrind() noexcept;

/// The object's file with the loaded bytes of its master, in a folder of its own. Both go away with this.
class CopyFile {
 public:
  /// Throws Error.
  explicit CopyFile(const ElfObject& object);
  ~CopyFile();
  CopyFile(const CopyFile&) = delete;
  CopyFile& operator=(const CopyFile&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  std::string folder_, path_;
};

}  // namespace taihu::memory
