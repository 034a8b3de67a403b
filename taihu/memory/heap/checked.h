// SPDX-License-Identifier: Apache-2.0
// Blocks that notice misuse: a header in front says whether the block is live, bytes behind it must stay as
// they are, and a freed block is kept for a while, filled with a pattern. Misuse ends the program with one
// line. The calls are those of heap.h; usable_bytes is exactly what was asked for.
#pragma once

#include <cstddef>

namespace taihu::memory::heap::checked {

void* allocate(std::size_t bytes);
/// Nothing is fast here.
inline void* allocate_fast(std::size_t) {
  return nullptr;
}
inline void* allocate_other(std::size_t bytes) {
  return allocate(bytes);
}
void* allocate_zeroed(std::size_t bytes);
void* allocate_aligned(std::size_t alignment, std::size_t bytes);
void* reallocate(void* address, std::size_t bytes);
void free(void* address);
std::size_t usable_bytes(const void* address);

}  // namespace taihu::memory::heap::checked
