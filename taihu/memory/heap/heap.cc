// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/heap.h"

#include <string.h>

#include <algorithm>

#include "taihu/memory/heap/guards.h"
#include "taihu/memory/heap/misuse.h"
#include "taihu/memory/heap/registry.h"

namespace taihu::memory::heap {
namespace {

constexpr std::size_t most_bytes = PTRDIFF_MAX;
constexpr std::size_t growing_bytes =
    256 << 10;  ///< from here on realloc looks for a place with room to grow further
constexpr std::size_t moving_bytes = 64 << 20;  ///< from here on it moves pages instead of copying

Slice* new_large(std::size_t bytes, std::uint32_t alignment_slices) {
  if (bytes > most_bytes || slices_for(bytes += guards::page_bytes()) > UINT32_MAX / 4) return nullptr;
  const auto slices = static_cast<std::uint32_t>(slices_for(bytes));
  OwnCache cache;
  if (!cache) return nullptr;
  if (settings.secure && alignment_slices == 1)
    if (Slice* block = cache->take_guarded(slices)) return block;
  Slice* block =
      alignment_slices == 1 ? cache->take_large(slices) : cache->node().take_run(slices, alignment_slices);
  if (block && settings.secure) guards::protect_large(block);
  return block;
}

[[gnu::noinline]] void* refill(unsigned small, std::size_t alignment) {
  OwnCache cache;
  if (!cache) return nullptr;
  void* block = cache->pop(small);
  if (!block) block = cache->refill(small, alignment);
  if (block && settings.secure) guards::write_word(block, slice_map.span_of(block)->small);
  return block;
}

void* allocate_small(unsigned small, std::size_t alignment = 16) {
  if (void* block = current_cache->pop(small)) return block;
  return refill(small, alignment);
}

/// The same in a secure heap.
void* allocate_with_word(unsigned small, std::size_t alignment = 16) {
  void* block = own_cache->pop(small);
  if (!block) [[unlikely]]
    return refill(small, alignment);
  guards::write_word(block, small);
  return block;
}

/// A block that free() and free_other() do not know: of another thread, large, or none.
[[gnu::noinline]] void free_slowly(void* address) {
  if (!address) return;
  OwnCache cache;
  auto* block = static_cast<Block*>(address);
  if (FreeList* list = slice_map.list_of(address)) {
    if (has_tag(block) || !ThreadCache::rule_of(list).starts_block(block)) check_used(block, "free()");
    ThreadCache* owner = ThreadCache::owner_of(list);
    if (owner->has_words()) guards::check_word(block, ThreadCache::class_of(list));
    if (!cache)
      owner->hand_over(block, block);
    else if (!cache->owns(list))
      cache->free_remote(list, block);
    else if (list->push(block))
      cache->shorten(list);
    return;
  }
  Slice* large = checked_large_block(address, "free()");
  if (cache) return cache->give_guarded(large);
  guards::unprotect(large);
  large->written = large->slices;
  node_heaps[large->node].give(large);
}

}  // namespace

void* allocate_other(std::size_t bytes) {
  if (!settings.secure) {
    if (bytes <= small_bytes) return allocate_small(small_class(std::max<std::size_t>(bytes, 1)));
  } else if (bytes <= small_bytes - guards::word_bytes()) {
    return allocate_with_word(small_class(bytes + guards::word_bytes()));
  }
  Slice* block = new_large(bytes, 1);
  return block ? block->begin() : nullptr;
}

void shorten(FreeList* list) {
  own_cache->shorten(list);
}

/// The common case where blocks have words.
void free_other(void* address, FreeList* list) {
  auto* block = static_cast<Block*>(address);
  if (!ThreadCache::rule_of(list).takes_with_word(block) || has_tag(block)) return free_slowly(address);
  guards::check_word(block, ThreadCache::class_of(list));
  if (list->push(block)) [[unlikely]]
    shorten(list);
}

void* allocate_zeroed(std::size_t bytes) {
  if (bytes <= small_bytes - guards::word_bytes()) {
    void* block = allocate(bytes);
    return block ? memset(block, 0, bytes) : nullptr;
  }
  Slice* block = new_large(bytes, 1);
  if (!block) return nullptr;
  return memset(block->begin(), 0, std::min(bytes, std::size_t{block->written} << slice_shift));
}

void* allocate_aligned_other(std::size_t alignment, std::size_t bytes) {
  if (alignment <= 16) return allocate(bytes);
  if (bytes > most_bytes || alignment > most_bytes / 2) return nullptr;
  if (alignment < slice_bytes && bytes <= small_bytes) {
    // A class whose size is a multiple of the alignment; its spans begin at multiples of it, too.
    const std::size_t least =
        std::max((bytes + guards::word_bytes() + alignment - 1) & ~(alignment - 1), alignment);
    unsigned small = least <= small_bytes ? small_class(least) : small_classes;
    while (small < small_classes && (class_bytes(small) & (alignment - 1)) != 0) ++small;
    if (small < small_classes)
      return settings.secure ? allocate_with_word(small, alignment) : allocate_small(small, alignment);
  }
  const std::size_t slices = std::max<std::size_t>(alignment >> slice_shift, 1);
  if (slices > UINT32_MAX / 4) return nullptr;
  Slice* block = new_large(std::max<std::size_t>(bytes, 1), static_cast<std::uint32_t>(slices));
  return block ? block->begin() : nullptr;
}

std::size_t usable_bytes(const void* address) {
  if (!address) return 0;
  constexpr const char* call = "realloc() or malloc_usable_size()";
  FreeList* list = slice_map.list_of(address);
  if (!list) {
    const Slice* block = checked_large_block(address, call);
    return block->bytes() - guards::bytes_behind(block);
  }
  check_used(address, call);
  return ThreadCache::owner_of(list)->usable_bytes(ThreadCache::class_of(list));
}

bool is_block(const void* address) {
  return slice_map.list_of(address) || large_block(address);
}

namespace {

/// A new place for a long block that has grown once already, and so may again. Very long ones do not need a
/// second set of pages: theirs move.
void* move_growing(void* address, std::size_t old_bytes, std::size_t bytes) {
  if (bytes > most_bytes || slices_for(bytes) > UINT32_MAX / 16) return nullptr;
  OwnCache cache;
  if (!cache) return nullptr;
  const auto slices = static_cast<std::uint32_t>(slices_for(bytes));
  const SliceState preferred = old_bytes >= moving_bytes ? SliceState::clean : SliceState::dirty;
  Slice* block = cache->take_growable(slices, preferred);
  if (!block) return nullptr;
  if (old_bytes >= moving_bytes && os::move_pages(address, block->begin(), old_bytes)) {
    Slice* old = large_block(address);
    node_heaps[old->node].give_clean(old);
    return block->begin();
  }
  memcpy(block->begin(), address, old_bytes);
  free(address);
  return block->begin();
}

/// Longer or shorter where it is. False when it has to move.
bool resize_in_place(void* address, std::size_t old_bytes, std::size_t bytes) {
  if (slice_map.list_of(address)) return bytes <= old_bytes && (bytes >= old_bytes / 2 || old_bytes <= 64);
  Slice* block = large_block(address);
  if (guards::bytes_behind(block) > 0) return bytes <= old_bytes && bytes >= old_bytes / 2;
  if (bytes > most_bytes || slices_for(bytes) > UINT32_MAX / 4) return false;
  const auto slices = static_cast<std::uint32_t>(slices_for(bytes));
  if (slices == block->slices && bytes > small_bytes) return true;
  OwnCache cache;
  if (!cache || bytes <= small_bytes) return false;
  if (slices > block->slices) return cache->extend(block, slices - block->slices);
  if (slices <= block->slices / 2) cache->give_large(PageHeap::split(block, slices));
  return true;
}

}  // namespace

void* reallocate(void* address, std::size_t bytes) {
  if (!address) return allocate(bytes);
  const std::size_t old_bytes = usable_bytes(address);
  if (resize_in_place(address, old_bytes, bytes)) return address;
  if (bytes > old_bytes && old_bytes >= growing_bytes && !settings.secure)
    return move_growing(address, old_bytes, bytes);
  void* moved = allocate(bytes);
  if (!moved) return nullptr;
  memcpy(moved, address, std::min(old_bytes, bytes));
  free(address);
  return moved;
}

bool trim() {
  OwnCache cache;
  if (cache) {
    cache->empty();
    cache->trim();
  }
  bool given_back = false;
  for (unsigned node = 0; node < node_total; ++node) given_back = node_heaps[node].trim() || given_back;
  return given_back;
}

}  // namespace taihu::memory::heap
