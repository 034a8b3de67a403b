// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/idle_copies.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "taihu/base/page_size.h"
#include "taihu/memory/image/machine.h"
#include "taihu/memory/image/saved_data.h"

namespace taihu::memory {
namespace {

std::uint64_t page_below(std::uint64_t address) {
  const auto page = static_cast<std::uint64_t>(page_bytes());
  return address / page * page;
}
std::uint64_t page_above(std::uint64_t address) {
  return page_below(address + static_cast<std::uint64_t>(page_bytes()) - 1);
}

/// Pages that the loader makes read-only when it has relocated a copy: they are as they were, and cannot be
/// written. Their last part need not be in the file.
ImageRange sealed(const ElfObject& object) {
  const auto [begin, end] = object.relro();
  return {page_below(begin), page_below(end)};
}

/// Variables that are not zero when a copy is loaded, as far as code may write them: those of the file, and
/// those into which the loader has copied a library's.
std::vector<ImageRange> initialised(const ElfObject& object) {
  std::vector<ImageRange> writable;
  for (const Elf64_Phdr& load : object.loads())
    if ((load.p_flags & PF_W) != 0) writable.push_back({load.p_vaddr, load.p_vaddr + load.p_filesz});
  for (const ElfRelocation& relocation : object.relocations())
    if (relocation.type == machine::copy)
      writable.push_back(
          {relocation.target, relocation.target + object.symbols()[relocation.symbol].size_bytes});
  return without(std::move(writable), {sealed(object)});
}

/// The others, with those that the loader has copied.
std::vector<ImageRange> zeros(const ElfObject& object) {
  std::vector<ImageRange> writable;
  for (const Elf64_Phdr& load : object.loads())
    if ((load.p_flags & PF_W) != 0)
      writable.push_back({load.p_vaddr + load.p_filesz, load.p_vaddr + load.p_memsz});
  return without(std::move(writable), {sealed(object)});
}

void clear(std::uintptr_t begin, std::uintptr_t end) {
  const std::uintptr_t pages = std::min(page_above(begin), end);
  std::memset(reinterpret_cast<void*>(begin), 0, pages - begin);
  if (pages == end) return;
  // Pages behind those of the file are zeros of the system. The rest of the last one is of nobody.
  if (madvise(reinterpret_cast<void*>(pages), page_above(end) - pages, MADV_DONTNEED) != 0)
    std::memset(reinterpret_cast<void*>(pages), 0, end - pages);
}

/// Page by page, and only those that differ: one that nobody has written stays the file's.
void write_pages(std::uintptr_t place, const std::byte* data, std::uint64_t bytes) {
  while (bytes > 0) {
    const std::uint64_t part = std::min<std::uint64_t>(bytes, page_above(place + 1) - place);
    auto* const target = reinterpret_cast<void*>(place);
    if (std::memcmp(target, data, part) != 0) std::memcpy(target, data, part);
    place += part;
    data += part;
    bytes -= part;
  }
}

}  // namespace

std::vector<std::byte> initial_data(const ElfObject& object, std::uintptr_t base) {
  std::vector<std::byte> data;
  for (const ImageRange& range : initialised(object)) {
    const auto* const first = reinterpret_cast<const std::byte*>(base + range.begin);
    data.insert(data.end(), first, first + range.bytes());
  }
  return data;
}

void restore_data(const ElfObject& object, std::uintptr_t base, const std::vector<std::byte>& data) {
  for (const ImageRange& range : zeros(object)) clear(base + range.begin, base + range.end);
  const std::byte* kept = data.data();
  for (const ImageRange& range : initialised(object)) {
    write_pages(base + range.begin, kept, range.bytes());
    kept += range.bytes();
  }
}

}  // namespace taihu::memory
