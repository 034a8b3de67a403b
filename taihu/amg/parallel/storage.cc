// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/parallel/storage.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "taihu/abi/naalloc.h"
#include "taihu/base/page_size.h"
#include "taihu/memory/placement/node_table.h"
#include "taihu/memory/placement/page_system.h"

// Programs that do not link naalloc have no placement.
extern "C" {
[[gnu::weak]] decltype(naalloc) naalloc;
[[gnu::weak]] decltype(naalloc_label) naalloc_label;
[[gnu::weak]] decltype(naalloc_where) naalloc_where;
[[gnu::weak]] decltype(nafree) nafree;
}

namespace taihu::amg {
namespace {

constexpr std::size_t large_bytes = std::size_t{64} << 10;  // from here on blocks come from ranges
constexpr std::size_t range_bytes = std::size_t{8} << 30;   // addresses, not memory
constexpr std::size_t alignment = 64;

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// What blocks of ranges take.
std::size_t whole_pages(std::size_t bytes) {
  return round_up(bytes, page_bytes());
}

void* reserve(std::size_t bytes) {
  void* mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

bool may_use_several_memory_nodes() {
  return memory::read_node_table("").usable().size() > 1;
}

}  // namespace

Storage::Storage(Placing placing)
    : placing_(naalloc != nullptr && (placing == Placing::always ||
                                      (placing == Placing::automatic && may_use_several_memory_nodes()))) {}

Storage::~Storage() {
  for (const auto& [address, bytes] : ranges_) munmap(address, bytes);
}

void Storage::count(std::size_t bytes) {
  used_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, used_bytes_);
}

void* Storage::take(std::size_t element_bytes, std::span<const std::size_t> part_end, Use use) {
  const std::size_t bytes = element_bytes * part_end.back();
  if (!placing_ || use != Use::cycles || bytes < large_bytes) return take_bytes(bytes);
  void* memory = naalloc(element_bytes, part_end.data(), static_cast<int>(part_end.size()));
  if (memory == nullptr) throw std::bad_alloc();
  naalloc_label(memory, "amg");
  const std::lock_guard lock(mutex_);
  count(bytes);
  placed_.insert(memory);
  return memory;
}

void* Storage::take_bytes(std::size_t bytes) {
  if (bytes >= large_bytes) {
    const std::lock_guard lock(mutex_);
    count(bytes);
    return take_large(whole_pages(bytes));
  }
  void* memory = std::aligned_alloc(alignment, round_up(std::max<std::size_t>(bytes, 1), alignment));
  if (memory == nullptr) throw std::bad_alloc();
  const std::lock_guard lock(mutex_);
  count(bytes);
  return memory;
}

// A range of addresses with room for the bytes: large, or where the system limits addresses just large
// enough.
void Storage::add_range(std::size_t bytes) {
  std::size_t wanted =
      std::max(range_bytes, round_up(bytes, memory::huge_page_bytes) + memory::huge_page_bytes);
  void* memory = reserve(wanted);
  if (memory == nullptr) {
    wanted = round_up(bytes, memory::huge_page_bytes) + memory::huge_page_bytes;
    memory = reserve(wanted);
  }
  if (memory == nullptr) throw std::bad_alloc();
  ranges_[static_cast<std::byte*>(memory)] = wanted;
  free_[static_cast<std::byte*>(memory)] = wanted;
}

// The lowest free part with room. The last part of a range is for the most part fresh memory: a block that
// only fits there while the free parts before it have as many bytes, in pieces, would make the process larger
// than what it uses. Then these pieces go back to the system.
void* Storage::take_large(std::size_t bytes) {
  const auto fits = [&](const auto& part) { return part.second >= bytes; };
  auto found = std::find_if(free_.begin(), free_.end(), fits);
  if (found == free_.end()) {
    add_range(bytes);
    found = std::find_if(free_.begin(), free_.end(), fits);
  }
  const auto [address, room] = *found;
  const auto& [range, range_size] = *std::prev(ranges_.upper_bound(address));
  if (address + room == range + range_size) {
    std::size_t before = 0;
    for (auto part = free_.begin(); part != found; ++part) before += part->second;
    if (before >= bytes)
      for (auto part = free_.begin(); part != found; ++part)
        madvise(part->first, part->second, MADV_DONTNEED);
  }
  free_.erase(found);
  if (room > bytes) free_[address + bytes] = room - bytes;
  return address;
}

void Storage::give_back(void* memory, std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  used_bytes_ -= bytes;
  if (bytes < large_bytes) return std::free(memory);
  if (placed_.erase(memory) > 0) return nafree(memory);
  free_part(static_cast<std::byte*>(memory), whole_pages(bytes));
}

void Storage::free_part(std::byte* address, std::size_t bytes) {
  const auto next = free_.upper_bound(address);
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == address && !ranges_.contains(address)) {
      address = before->first;
      bytes += before->second;
    }
  }
  if (next != free_.end() && address + bytes == next->first && !ranges_.contains(next->first)) {
    bytes += next->second;
    free_.erase(next);
  }
  free_[address] = bytes;
}

bool Storage::is_placed(void* memory) const {
  const std::lock_guard lock(mutex_);
  return placed_.contains(memory);
}

void* Storage::shorten(void* memory, std::size_t bytes, std::size_t wanted) {
  if (is_placed(memory) || bytes < large_bytes || wanted < large_bytes) {
    void* moved = take_bytes(wanted);
    std::memcpy(moved, memory, wanted);
    give_back(memory, bytes);
    return moved;
  }
  const std::lock_guard lock(mutex_);
  used_bytes_ -= bytes - wanted;
  const std::size_t kept = whole_pages(wanted), all = whole_pages(bytes);
  if (kept < all) free_part(static_cast<std::byte*>(memory) + kept, all - kept);
  return memory;
}

void Storage::trim() noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& [address, bytes] : free_) madvise(address, bytes, MADV_DONTNEED);
}

Storage::Pages Storage::placed_pages() const {
  const std::lock_guard lock(mutex_);
  Pages all;
  for (const void* memory : placed_) {
    naalloc_pages pages{};
    if (naalloc_where(memory, &pages) != 0) continue;
    all.local += pages.local;
    all.remote += pages.remote;
    all.unknown += pages.unknown + pages.untouched;
  }
  return all;
}

std::size_t Storage::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

std::size_t Storage::peak_bytes() const {
  const std::lock_guard lock(mutex_);
  return peak_bytes_;
}

}  // namespace taihu::amg
