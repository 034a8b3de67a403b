// SPDX-License-Identifier: Apache-2.0
// The heap as functions: what malloc and its relatives are made of. Any thread may call them at any time, but
// not from signal handlers. They leave errno alone; malloc_calls.cc sets it.
#pragma once

#include "taihu/memory/heap/thread_cache.h"

namespace taihu::memory::heap {

[[gnu::noinline]] void* allocate_other(std::size_t bytes);
[[gnu::noinline]] void* allocate_aligned_other(std::size_t alignment, std::size_t bytes);
/// `list`: list_near(address).
[[gnu::noinline]] void free_other(void* address, FreeList* list);
[[gnu::noinline]] void shorten(FreeList* list);

/// A block of at least `bytes` bytes if the size is a common one and the thread has a free one cached; else
/// null.
inline void* allocate_fast(std::size_t bytes) {
  if (bytes > fine_bytes) [[unlikely]]
    return nullptr;
  return current_cache->pop((bytes + 15) / 16);
}

/// At least `bytes` bytes aligned to 16; null when there is no memory. 0 bytes give a block, too.
inline void* allocate(std::size_t bytes) {
  if (void* block = allocate_fast(bytes)) [[likely]]
    return block;
  return allocate_other(bytes);
}

/// Frees a block. Null is allowed. What is not a block in use ends the program with a line (misuse.h); of
/// blocks in use, one that was free and is handed out again cannot be told from the one that was meant.
inline void free(void* address) {
  FreeList* list = slice_map.list_near(address);
  auto* block = static_cast<Block*>(address);
  if (ThreadCache::rule_of(list).takes(block) && !has_tag(block)) [[likely]] {
    if (list->push(block)) [[unlikely]]
      shorten(list);
    return;
  }
  free_other(address, list);
}

/// The same with all bytes 0.
void* allocate_zeroed(std::size_t bytes);
/// The same at a multiple of `alignment`, a power of two. The size is rounded up to a multiple of it, too:
/// blocks of such a class begin at multiples of their size.
inline void* allocate_aligned(std::size_t alignment, std::size_t bytes) {
  const std::size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
  if (bytes <= fine_bytes && rounded <= fine_bytes) [[likely]]
    if (void* block = current_cache->pop((rounded + 15) / 16)) [[likely]]
      return block;
  return allocate_aligned_other(alignment, bytes);
}
/// Bytes that a block has room for.
std::size_t usable_bytes(const void* address);
/// As realloc with bytes > 0; null leaves the block as it is. Long blocks grow in place where there is room
/// behind them.
void* reallocate(void* address, std::size_t bytes);
/// Does `address` lie in a block of small size or begin a large one that is in use?
bool is_block(const void* address);

/// Gives what is free back to the system: of the calling thread, of all dormant caches, and of the central
/// level.
bool trim();

}  // namespace taihu::memory::heap
