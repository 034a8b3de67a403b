// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/preloads.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string_view>

#include "taihu/base/error.h"
#include "taihu/memory/image/elf_object.h"
#include "taihu/memory/image/folders.h"
#include "taihu/memory/image/library_search.h"

namespace taihu::launch {
namespace {

std::string path_of(const std::string& name, const std::string& library_path) {
  if (name.find('/') != name.npos) return name;
  for (const std::string& folder : memory::split_folders(library_path, ":;")) {
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return {};
}

/// Whether the library has calls of MPI of its own, in C or Fortran.
bool has_mpi_calls(const std::string& path) {
  try {
    const memory::ElfObject library(path);
    return std::any_of(
        library.symbols().begin(), library.symbols().end(), [](const memory::ElfSymbol& symbol) {
          return symbol.defined && (symbol.name.starts_with("MPI_") || symbol.name.starts_with("mpi_"));
        });
  } catch (const Error&) {
    return false;
  }
}

void append(std::string& list, const std::string& name) {
  list += (list.empty() ? "" : ":") + name;
}

}  // namespace

Preloads split_preloads(const std::string& list, const std::string& library_path) {
  Preloads result;
  for (const std::string& name : memory::split_folders(list, ": ")) {
    if (name.empty()) continue;
    const std::string path = path_of(name, library_path);
    if (!path.empty() && has_mpi_calls(path))
      append(result.tools, std::filesystem::absolute(path).string());
    else
      append(result.others, name);
  }
  return result;
}

std::string linked_malloc(const std::string& program) {
  static constexpr std::array<std::string_view, 4> names = {"libtcmalloc", "libjemalloc", "libmimalloc",
                                                            "libtbbmalloc_proxy"};
  try {
    const auto object = std::make_shared<const memory::ElfObject>(program);
    for (const std::string& needed : object->needed())
      if (std::any_of(names.begin(), names.end(),
                      [&](auto name) { return memory::last_part(needed).starts_with(name); }))
        return memory::find_library(needed, *object).value_or("");
  } catch (const Error&) {
    // A script, or what the node process refuses with its reason.
  }
  return {};
}

}  // namespace taihu::launch
