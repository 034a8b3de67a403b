// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/saved_data.h"

#include <algorithm>
#include <cstring>

#include "taihu/memory/image/machine.h"

namespace taihu::memory {
namespace {

std::uint64_t word_at(std::uintptr_t address) {
  std::uint64_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

bool is_before(const ImageRange& one, const ImageRange& other) {
  return one.begin < other.begin;
}

}  // namespace

std::vector<ImageRange> without(std::vector<ImageRange> ranges, std::vector<ImageRange> holes) {
  std::sort(ranges.begin(), ranges.end(), is_before);
  std::sort(holes.begin(), holes.end(), is_before);
  std::vector<ImageRange> left;
  auto hole = holes.begin();
  for (ImageRange range : ranges) {
    while (hole != holes.end() && hole->end <= range.begin) ++hole;
    for (auto next = hole; next != holes.end() && next->begin < range.end; ++next) {
      if (next->begin > range.begin) left.push_back({range.begin, next->begin});
      range.begin = std::max(range.begin, next->end);
    }
    if (range.begin < range.end) left.push_back(range);
  }
  return left;
}

SavedData::SavedData(const ElfObject& program, std::uintptr_t base, std::span<const ImageRange> shared)
    : base_(base) {
  std::vector<ImageRange> writable;
  for (const Elf64_Phdr& load : program.loads())
    if ((load.p_flags & PF_W) != 0) writable.push_back({load.p_vaddr, load.p_vaddr + load.p_memsz});
  std::vector<ImageRange> holes(shared.begin(), shared.end());
  holes.push_back({program.relro().first, program.relro().second});
  // The first words of this table are the loader's own.
  if (const auto table = program.dynamic(DT_PLTGOT))
    holes.push_back({*table, *table + 3 * sizeof(std::uint64_t)});
  for (const ElfRelocation& relocation : program.relocations())
    if (relocation.type == machine::copy)
      holes.push_back(
          {relocation.target, relocation.target + program.symbols()[relocation.symbol].size_bytes});
  ranges_ = without(std::move(writable), std::move(holes));
  std::vector<std::uint64_t> targets = program.relative_targets();
  std::sort(targets.begin(), targets.end());
  for (const std::uint64_t target : targets) {
    const bool is_saved = std::any_of(ranges_.begin(), ranges_.end(), [&](const ImageRange& range) {
      return target >= range.begin && target + sizeof(std::uint64_t) <= range.end;
    });
    if (is_saved) words_.push_back({target, word_at(base_ + target)});
  }
}

std::vector<ImageRange> SavedData::ranges() const {
  std::vector<ImageRange> unchanged;
  for (const Word& word : words_)
    if (word_at(base_ + word.at) == word.value) unchanged.push_back({word.at, word.at + sizeof word.value});
  return without(ranges_, std::move(unchanged));
}

}  // namespace taihu::memory
