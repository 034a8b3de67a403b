// SPDX-License-Identifier: Apache-2.0
// The malloc family as a preloaded library offers it: large blocks come from LargeBlocks, everything else
// from whoever would have answered without us. Whether a block is ours is told by its address.
//
// Nothing is ours before the constructor has run, and nothing that our own books allocate (they are inside a
// guard). While the next malloc is looked up, the C library may itself allocate; that comes from a small
// static buffer.
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>

#include "taihu/base/page_size.h"
#include "taihu/memory/narun/large_blocks.h"
#include "taihu/memory/narun/own_work.h"

#define NARUN_SHOWN __attribute__((visibility("default")))

namespace {

using namespace taihu::memory;

struct NextHeap {
  void* (*malloc)(size_t);
  void* (*calloc)(size_t, size_t);
  void* (*realloc)(void*, size_t);
  void (*free)(void*);
  void* (*memalign)(size_t, size_t);
  size_t (*usable_size)(void*);
};

NextHeap next;
std::atomic<bool> next_known{false};
bool looking_up = false;  // the first allocation of a process comes before its second thread

alignas(64) char early_buffer[16384];
std::atomic<size_t> early_used{0};

std::atomic<LargeBlocks*> large_blocks{nullptr};

bool is_early(const void* place) {
  return static_cast<size_t>(static_cast<const char*>(place) - early_buffer) < sizeof early_buffer;
}

void* early(size_t bytes) {
  const size_t begin = early_used.fetch_add((bytes + 63) / 64 * 64);
  return begin + bytes <= sizeof early_buffer ? early_buffer + begin : nullptr;
}

template <typename Function>
void look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// False while the functions are being looked up.
bool know_next() {
  if (next_known.load(std::memory_order_acquire)) return true;
  if (looking_up) return false;
  looking_up = true;
  look_up(next.malloc, "malloc");
  look_up(next.calloc, "calloc");
  look_up(next.realloc, "realloc");
  look_up(next.free, "free");
  look_up(next.memalign, "memalign");
  look_up(next.usable_size, "malloc_usable_size");
  looking_up = false;
  next_known.store(true, std::memory_order_release);
  return true;
}

/// The large blocks when one of this size is ours.
LargeBlocks* ours_for(size_t bytes) {
  LargeBlocks* blocks = large_blocks.load(std::memory_order_acquire);
  return blocks != nullptr && !OwnWork::active() && blocks->wants(bytes) ? blocks : nullptr;
}

LargeBlocks* owner_of(const void* place) {
  LargeBlocks* blocks = large_blocks.load(std::memory_order_acquire);
  return blocks != nullptr && blocks->owns(place) ? blocks : nullptr;
}

/// Null when there is no room; errno is as before then, because the heap is asked next.
void* large(LargeBlocks& blocks, size_t bytes, size_t alignment, Contents contents) {
  const int before = errno;
  const OwnWork mark;
  void* block = nullptr;
  try {
    block = blocks.allocate(bytes, alignment, contents);
  } catch (const std::bad_alloc&) {
  }
  errno = before;
  return block;
}

void* aligned(size_t alignment, size_t bytes) {
  if (LargeBlocks* blocks = ours_for(bytes))
    if (void* block = large(*blocks, bytes, alignment, Contents::undefined)) return block;
  return know_next() ? next.memalign(alignment, bytes) : nullptr;
}

/// realloc of a large block: in its place, as another large block, or back to the heap.
void* change_large(LargeBlocks& blocks, void* block, size_t bytes) {
  const OwnWork mark;
  try {
    if (void* grown = blocks.grow(block, bytes)) return grown;
  } catch (const std::bad_alloc&) {
  }
  void* moved = next.malloc(bytes);
  if (moved == nullptr) return nullptr;
  memcpy(moved, block, std::min(bytes, blocks.bytes(block)));
  blocks.release(block);
  return moved;
}

[[gnu::constructor]] void start() {
  know_next();
  const OwnWork mark;
  large_blocks = new LargeBlocks(read_preload_settings());
}

[[gnu::destructor]] void stop() {
  const OwnWork mark;
  if (LargeBlocks* blocks = large_blocks) blocks->finish();
}

}  // namespace

extern "C" {

NARUN_SHOWN void* malloc(size_t bytes) {
  if (LargeBlocks* blocks = ours_for(bytes))
    if (void* block = large(*blocks, bytes, 1, Contents::undefined)) return block;
  return know_next() ? next.malloc(bytes) : early(bytes);
}

NARUN_SHOWN void* calloc(size_t count, size_t bytes) {
  size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return nullptr;
  }
  if (LargeBlocks* blocks = ours_for(all))
    if (void* block = large(*blocks, all, 1, Contents::zeroed)) return block;
  return know_next() ? next.calloc(count, bytes) : early(all);  // static memory is zero
}

NARUN_SHOWN void free(void* place) {
  if (place == nullptr || is_early(place)) return;
  const int before = errno;
  if (LargeBlocks* blocks = owner_of(place)) {
    const OwnWork mark;
    blocks->release(place);
  } else if (know_next()) {
    next.free(place);
  }
  errno = before;
}

NARUN_SHOWN void* realloc(void* place, size_t bytes) {
  if (place == nullptr) return malloc(bytes);
  if (bytes == 0 && owner_of(place) != nullptr) {
    free(place);
    return nullptr;
  }
  if (LargeBlocks* blocks = owner_of(place)) return change_large(*blocks, place, bytes);
  const bool early_block = is_early(place);
  if (ours_for(bytes) == nullptr && !early_block) return next.realloc(place, bytes);
  const size_t before = early_block ? sizeof early_buffer - (static_cast<char*>(place) - early_buffer)
                                    : next.usable_size(place);
  if (before >= bytes && !early_block) return next.realloc(place, bytes);
  void* moved = malloc(bytes);
  if (moved == nullptr) return nullptr;
  memcpy(moved, place, std::min(bytes, before));
  free(place);
  return moved;
}

NARUN_SHOWN void* reallocarray(void* place, size_t count, size_t bytes) {
  size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) {
    errno = ENOMEM;
    return nullptr;
  }
  return realloc(place, all);
}

NARUN_SHOWN void* memalign(size_t alignment, size_t bytes) {
  return aligned(alignment, bytes);
}

NARUN_SHOWN void* aligned_alloc(size_t alignment, size_t bytes) {
  return aligned(alignment, bytes);
}

NARUN_SHOWN int posix_memalign(void** place, size_t alignment, size_t bytes) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  const int before = errno;
  void* block = aligned(alignment, bytes);
  errno = before;
  if (block == nullptr) return ENOMEM;
  *place = block;
  return 0;
}

NARUN_SHOWN void* valloc(size_t bytes) {
  return aligned(taihu::page_bytes(), bytes);
}

NARUN_SHOWN void* pvalloc(size_t bytes) {
  const auto page = taihu::page_bytes();
  if (bytes > SIZE_MAX - page) {
    errno = ENOMEM;
    return nullptr;
  }
  return aligned(page, (bytes + page - 1) / page * page);
}

NARUN_SHOWN size_t malloc_usable_size(void* place) {
  if (place == nullptr) return 0;
  if (LargeBlocks* blocks = owner_of(place)) return blocks->bytes(place);
  return know_next() && !is_early(place) ? next.usable_size(place) : 0;
}

}  // extern "C"
