// SPDX-License-Identifier: Apache-2.0
// Fixed addresses for the images of ranks, the same in every run: so that a pointer of a program to one of
// its own variables or functions still means the same when the variable is restored in another run.
//
// The dynamic loader maps an object where the kernel likes: in the highest hole that has room. So all higher
// holes are filled with reserved pages while images are loaded, and one hole of the right size is left at the
// wanted place.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "taihu/memory/image/elf_object.h"

namespace taihu::memory {

class ImagePlaces {
 public:
  /// Reserves address space, no memory, for `count` images of `program`. One for a process at a time.
  /// Throws Error when the addresses are taken.
  ImagePlaces(const ElfObject& program, int count);
  /// Gives back all address space that no image has.
  ~ImagePlaces();
  ImagePlaces(const ImagePlaces&) = delete;
  ImagePlaces& operator=(const ImagePlaces&) = delete;

  /// Where image `index` goes.
  std::uintptr_t place(int index) const { return begin_ + static_cast<std::uintptr_t>(index) * stride_; }

  /// Runs `load`, which makes the loader map image `index`. Any thread; one at a time runs its `load`. It may
  /// still get another place, when a thread that maps memory at the same time took this one: compare.
  void load_at(int index, const std::function<void()>& load);

 private:
  struct Range {
    std::uintptr_t begin;
    std::uint64_t bytes;
  };
  void fill_higher_holes();

  std::uintptr_t begin_ = 0;
  std::uint64_t hole_bytes_ = 0;  ///< that the loader asks for
  std::uint64_t stride_ = 0;
  int count_ = 0;
  std::mutex mutex_;
  std::vector<Range> fillers_;
  std::vector<bool> used_;
};

}  // namespace taihu::memory
