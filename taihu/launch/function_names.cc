// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/function_names.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>

namespace taihu::launch {
namespace {

/// Part of a file; empty when it is not there.
template <typename Entry>
std::vector<Entry> read_entries(std::ifstream& file, std::uint64_t offset, std::uint64_t bytes) {
  constexpr std::uint64_t most_bytes = 1
                                       << 30;  // so that a damaged header cannot make us allocate all memory
  std::vector<Entry> entries(bytes <= most_bytes ? bytes / sizeof(Entry) : 0);
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(entries.data()),
            static_cast<std::streamsize>(entries.size() * sizeof(Entry)));
  if (!file) entries.clear();
  file.clear();
  return entries;
}

}  // namespace

void FunctionNames::add(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const auto header = read_entries<Elf64_Ehdr>(stream, 0, sizeof(Elf64_Ehdr));
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return;
  const auto sections = read_entries<Elf64_Shdr>(stream, header[0].e_shoff,
                                                 std::uint64_t{header[0].e_shnum} * sizeof(Elf64_Shdr));
  File file;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[section.sh_link];
    const auto text = read_entries<char>(stream, strings.sh_offset, strings.sh_size);
    file.names.assign(text.begin(), text.end());
    for (const Elf64_Sym& symbol : read_entries<Elf64_Sym>(stream, section.sh_offset, section.sh_size)) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_name >= file.names.size()) continue;
      if (symbol.st_value != 0) file.functions.push_back({symbol.st_value, symbol.st_size, symbol.st_name});
    }
  }
  if (file.functions.empty()) return;
  std::sort(file.functions.begin(), file.functions.end(),
            [](const Function& a, const Function& b) { return a.start < b.start; });
  file.path = path;
  files_.push_back(std::move(file));
}

FunctionPlace FunctionNames::find(std::string_view path, std::uint64_t offset) const noexcept {
  for (const File& file : files_) {
    if (file.path != path) continue;
    auto next = std::upper_bound(
        file.functions.begin(), file.functions.end(), offset,
        [](std::uint64_t place, const Function& function) { return place < function.start; });
    if (next == file.functions.begin()) return {};
    const Function& function = *--next;
    if (offset >= function.start + std::max<std::uint64_t>(function.bytes, 1)) return {};
    return {file.names.c_str() + function.name, offset - function.start};
  }
  return {};
}

FunctionNames& function_names() {
  static FunctionNames names;
  return names;
}

}  // namespace taihu::launch
