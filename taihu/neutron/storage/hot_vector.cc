// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/storage/hot_vector.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>

#include "taihu/memory/placement/page_system.h"

namespace taihu::neutron {
namespace {

constexpr std::size_t cache_line = 64;

std::atomic<HotMemory> hot_memory{HotMemory::aligned};

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void set_hot_memory(HotMemory memory) noexcept {
  hot_memory.store(memory, std::memory_order_relaxed);
}

void* allocate_hot(std::size_t bytes, std::size_t alignment) {
  if (bytes > std::numeric_limits<std::size_t>::max() - memory::huge_page_bytes) throw std::bad_alloc();
  const bool plain = hot_memory.load(std::memory_order_relaxed) == HotMemory::plain;
  if (plain && alignment <= alignof(std::max_align_t)) {
    void* place = std::malloc(bytes > 0 ? bytes : 1);
    if (place == nullptr) throw std::bad_alloc();
    return place;
  }
  const bool large = !plain && bytes >= memory::huge_page_bytes;
  const std::size_t size = rounded_up(bytes > 0 ? bytes : 1, cache_line);
  void* place = nullptr;
  if (posix_memalign(&place, large ? memory::huge_page_bytes : cache_line, size) != 0) throw std::bad_alloc();
  // Only whole large pages: the heap may keep other blocks behind the end. A refusal costs speed only.
  if (large) (void)madvise(place, size / memory::huge_page_bytes * memory::huge_page_bytes, MADV_HUGEPAGE);
  return place;
}

void release_hot(void* place) noexcept {
  std::free(place);
}

}  // namespace taihu::neutron
