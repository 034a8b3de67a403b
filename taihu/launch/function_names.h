// SPDX-License-Identifier: Apache-2.0
// Names of the functions of programs, for call stacks. A program exports hardly any symbol, so the dynamic
// loader does not know its names; they are in the symbol table of its file. A crash handler may not read
// files, so the tables are read before ranks run and only looked up later.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taihu::launch {

/// A function and the distance of an address from its start.
struct FunctionPlace {
  const char* name = nullptr;  ///< null: no function known there
  std::uint64_t offset = 0;
};

class FunctionNames {
 public:
  /// Reads the functions of an ELF file; a file without a symbol table (stripped, or not readable) adds
  /// nothing. Not while others look up.
  void add(const std::string& path);

  /// The function at `offset` bytes from the load address of the file at `path`. Async-signal-safe.
  FunctionPlace find(std::string_view path, std::uint64_t offset) const noexcept;

 private:
  struct Function {
    std::uint64_t start, bytes;
    std::uint32_t name;  // position in File::names
  };
  struct File {
    std::string path;
    std::vector<Function> functions;  // by start
    std::string names;                // each with a zero behind it
  };
  std::vector<File> files_;
};

/// The names that crash reports use; filled before ranks run.
FunctionNames& function_names();

}  // namespace taihu::launch
