// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/slice_map.h"

#include <algorithm>
#include <bit>

#include "taihu/memory/heap/metadata.h"
#include "taihu/memory/heap/os.h"
#include "taihu/memory/heap/page_heap.h"

namespace taihu::memory::heap {

constinit SliceMap::NoTable SliceMap::no_table_{};
constinit SliceMap slice_map;

bool SliceMap::start() {
  constexpr std::size_t least = std::size_t{64} << 30, most = std::size_t{64} << 40;
  std::size_t coverage = std::clamp(std::bit_ceil(4 * os::physical_bytes()), least, most);
  const std::size_t limit = os::address_space_limit();
  if (limit < coverage / 4) coverage = std::max(std::bit_ceil(4 * limit), std::size_t{1} << 30);
  const std::size_t slices = coverage >> slice_shift;
  constexpr std::size_t before = (rules_bytes + 63) & ~std::size_t{63};
  auto* lists = static_cast<char*>(os::map(before + slices * sizeof *lists_, nullptr));
  void* units = metadata.allocate((slices >> unit_shift) * sizeof(Slice*));
  void* regions = metadata.allocate(most_regions * sizeof(Region));
  if (!lists || !units || !regions) return false;
  units_ = static_cast<std::atomic<Slice*>*>(units);
  regions_ = static_cast<Region*>(regions);
  lists_ = reinterpret_cast<std::ptrdiff_t*>(lists + before);
  mask_ = slices - 1;
  return true;
}

bool SliceMap::taken(char* begin, std::size_t bytes) const {
  const std::size_t coverage = coverage_bytes();
  const std::size_t from = reinterpret_cast<std::uintptr_t>(begin) & (coverage - 1);
  if (from == 0 || bytes > coverage || from + bytes > coverage) return true;  // would contain index 0
  for (std::size_t at = 0; at < region_count_; ++at) {
    const std::size_t other = regions_[at].begin & (coverage - 1);
    if (from < other + regions_[at].bytes && other < from + bytes) return true;
  }
  return false;
}

bool SliceMap::remove_region(char* begin, std::size_t bytes) {
  const auto from = reinterpret_cast<std::uintptr_t>(begin), to = from + bytes;
  for (std::size_t at = 0; at < region_count_; ++at) {
    Region& region = regions_[at];
    const std::uintptr_t end = region.begin + region.bytes;
    if (from < region.begin || to > end) continue;
    const Region before{region.begin, from - region.begin}, after{to, end - to};
    if (before.bytes > 0 && after.bytes > 0) {
      if (region_count_ == most_regions) return false;
      region = before;
      regions_[region_count_++] = after;
    } else if (before.bytes + after.bytes > 0) {
      region = before.bytes > 0 ? before : after;
    } else {
      region = regions_[--region_count_];
    }
    return true;
  }
  return false;
}

bool SliceMap::in_region(const void* address) const {
  LockGuard guard(growth_lock);
  return region_at(reinterpret_cast<std::uintptr_t>(address));
}

bool SliceMap::region_at(std::uintptr_t address) const {
  for (std::size_t at = 0; at < region_count_; ++at)
    if (address - regions_[at].begin < regions_[at].bytes) return true;
  return false;
}

bool SliceMap::add_region(char* begin, std::size_t bytes) {
  if (taken(begin, bytes)) return false;
  const bool below = region_count_ > 0 &&
                     regions_[region_count_ - 1].begin == reinterpret_cast<std::uintptr_t>(begin) + bytes;
  if (!below && region_count_ == most_regions) return false;
  const std::size_t first = index(begin) >> unit_shift, last = index(begin + bytes - 1) >> unit_shift;
  for (std::size_t unit = first; unit <= last; ++unit) {
    if (units_[unit].load(std::memory_order_relaxed)) continue;
    void* records = metadata.allocate(unit_slices * sizeof(Slice));
    if (!records) return false;
    units_[unit].store(static_cast<Slice*>(records), std::memory_order_release);
  }
  if (below) {
    regions_[region_count_ - 1].begin -= bytes;
    regions_[region_count_ - 1].bytes += bytes;
  } else {
    regions_[region_count_++] = {reinterpret_cast<std::uintptr_t>(begin), bytes};
  }
  return true;
}

}  // namespace taihu::memory::heap
