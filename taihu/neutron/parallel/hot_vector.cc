// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/parallel/hot_vector.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>

namespace taihu::neutron {
namespace {

constexpr std::size_t cache_line = 64, large_page = std::size_t{2} << 20;

std::atomic<HotMemory> hot_memory{HotMemory::aligned};

constexpr std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void set_hot_memory(HotMemory memory) noexcept {
  hot_memory.store(memory, std::memory_order_relaxed);
}

void* allocate_hot(std::size_t bytes, std::size_t alignment) {
  if (bytes > std::numeric_limits<std::size_t>::max() - large_page) throw std::bad_alloc();
  const bool plain = hot_memory.load(std::memory_order_relaxed) == HotMemory::plain;
  if (plain && alignment <= alignof(std::max_align_t)) {
    void* place = std::malloc(bytes > 0 ? bytes : 1);
    if (place == nullptr) throw std::bad_alloc();
    return place;
  }
  const bool large = !plain && bytes >= large_page;
  const std::size_t size = rounded_up(bytes > 0 ? bytes : 1, cache_line);
  void* place = nullptr;
  if (posix_memalign(&place, large ? large_page : cache_line, size) != 0) throw std::bad_alloc();
  // Only whole large pages: the heap may keep other blocks behind the end. A refusal costs speed only.
  if (large) (void)madvise(place, size / large_page * large_page, MADV_HUGEPAGE);
  return place;
}

void release_hot(void* place) noexcept {
  std::free(place);
}

}  // namespace taihu::neutron
