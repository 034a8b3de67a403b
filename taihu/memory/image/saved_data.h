// SPDX-License-Identifier: Apache-2.0
// The variables of a program in one rank's image that a checkpoint saves: what its own code may have written.
// Left out: what the loader wrote and only the loader can know in another run (tables of addresses in
// libraries, copies of variables of libc), and what the caller names (areas that ranks share).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "taihu/memory/image/elf_object.h"

namespace taihu::memory {

/// Bytes [begin, end) of an image, as distances from its load base.
struct ImageRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  std::uint64_t bytes() const noexcept { return end - begin; }
  bool operator==(const ImageRange&) const = default;
};

class SavedData {
 public:
  SavedData() = default;
  /// Of a copy of `program` at `base` whose code has not run. `shared`: what the caller saves itself.
  SavedData(const ElfObject& program, std::uintptr_t base, std::span<const ImageRange> shared);

  std::uintptr_t base() const noexcept { return base_; }

  /// What to save now, in order. A pointer that the loader has initialised is left out while it has this
  /// value: it may point into a library, which has another address in another run.
  std::vector<ImageRange> ranges() const;

 private:
  struct Word {
    std::uint64_t at, value;
  };
  std::uintptr_t base_ = 0;
  std::vector<ImageRange> ranges_;  ///< but for words_
  std::vector<Word> words_;         ///< that the loader wrote, in order
};

/// `ranges` without `holes`; both in any order, the result in order without empty ranges.
std::vector<ImageRange> without(std::vector<ImageRange> ranges, std::vector<ImageRange> holes);

}  // namespace taihu::memory
