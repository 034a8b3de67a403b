// SPDX-License-Identifier: Apache-2.0
// Address space from the system, in regions of many slices.
#pragma once

#include <cstddef>

namespace taihu::memory::heap {

struct Region {
  char* begin = nullptr;
  std::size_t slices = 0;
};

/// A new region of at least `slices` slices, more when the heap is large already (`mapped_slices`) and the
/// system has it; directly below the last one where possible. Begin null when there is no memory. Callers
/// hold `growth_lock`.
Region new_region(std::size_t slices, std::size_t mapped_slices);

}  // namespace taihu::memory::heap
