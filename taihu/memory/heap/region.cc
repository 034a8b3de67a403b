// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/region.h"

#include <algorithm>

#include "taihu/memory/heap/metadata.h"
#include "taihu/memory/heap/page_heap.h"
#include "taihu/memory/heap/settings.h"
#include "taihu/memory/heap/slice_map.h"

namespace taihu::memory::heap {

constinit Metadata metadata;
constinit Mutex growth_lock;

namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;

char* lowest_region = nullptr;  ///< begin of the newest region

char* round_up(char* address, std::size_t alignment) {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  return reinterpret_cast<char*>((value + alignment - 1) & ~(alignment - 1));
}

/// Memory that begins at a multiple of `alignment`: below the last region, else anywhere with the ends cut
/// off.
char* map_aligned(std::size_t bytes, std::size_t alignment) {
  if (lowest_region && bytes < reinterpret_cast<std::uintptr_t>(lowest_region)) {
    char* memory = static_cast<char*>(os::map(bytes, lowest_region - bytes));
    if (!memory || round_up(memory, alignment) == memory) return memory;
    os::unmap(memory, bytes);
  }
  char* memory = static_cast<char*>(os::map(bytes + alignment, nullptr));
  if (!memory) return nullptr;
  char* begin = round_up(memory, alignment);
  if (begin > memory) os::unmap(memory, static_cast<std::size_t>(begin - memory));
  char* end = memory + bytes + alignment;
  if (begin + bytes < end) os::unmap(begin + bytes, static_cast<std::size_t>(end - begin) - bytes);
  return begin;
}

/// A region whose records can be made. One that shares indices with another one (slice_map.h) is asked for
/// elsewhere.
char* map_region(std::size_t bytes, std::size_t alignment) {
  for (int attempt = 0; attempt < 4; ++attempt) {
    char* memory = map_aligned(bytes, alignment);
    if (!memory) return nullptr;
    if (slice_map.add_region(memory, bytes)) {
      lowest_region = memory;
      return memory;
    }
    os::unmap(memory, bytes);
    // Another place: half the table's range, and then a quarter, away.
    lowest_region = memory - (slice_map.coverage_bytes() >> (attempt + 1));
  }
  return nullptr;
}

}  // namespace

Region new_region(std::size_t slices, std::size_t mapped_slices) {
  constexpr std::size_t least = (std::size_t{32} << 20) >> slice_shift,
                        most = (std::size_t{1} << 30) >> slice_shift;
  const std::size_t extra = std::clamp(mapped_slices / 4, least, most);
  for (std::size_t wanted : {std::max(slices, extra), std::max(slices, least / 8), slices}) {
    std::size_t bytes = wanted << slice_shift;
    if (bytes > slice_map.coverage_bytes()) return {};
    const bool huge = bytes >= huge_page_bytes;
    if (huge) bytes = (bytes + huge_page_bytes - 1) & ~(huge_page_bytes - 1);
    char* memory = map_region(bytes, huge ? huge_page_bytes : slice_bytes);
    if (!memory) continue;
    const bool large_heap = mapped_slices << slice_shift >= std::size_t{settings.huge_pages_from_bytes};
    if (large_heap) os::use_huge_pages(memory, bytes);
    return {memory, bytes >> slice_shift};
  }
  return {};
}

}  // namespace taihu::memory::heap
