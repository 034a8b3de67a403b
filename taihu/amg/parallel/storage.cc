// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/parallel/storage.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace taihu::amg {
namespace {

constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
constexpr std::size_t large_bytes = std::size_t{1} << 20;  // from here on blocks come from the system
constexpr std::size_t alignment = 64;

std::size_t round_up(std::size_t value, std::size_t multiple) { return (value + multiple - 1) / multiple * multiple; }

// Maps with the start on a huge page; null on failure.
void* map_aligned(std::size_t bytes) {
  const std::size_t room = bytes + huge_page_bytes;
  void* mapped = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t start = round_up(address, huge_page_bytes);
  if (start > address) munmap(mapped, start - address);
  const std::size_t behind = address + room - (start + bytes);
  if (behind > 0) munmap(reinterpret_cast<void*>(start + bytes), behind);
  madvise(reinterpret_cast<void*>(start), bytes, MADV_HUGEPAGE);  // advice: where it fails pages are small
  return reinterpret_cast<void*>(start);
}

}  // namespace

Storage::~Storage() { trim(); }

void* Storage::take(std::size_t element_bytes, std::span<const std::size_t> part_end) {
  const std::size_t bytes = element_bytes * part_end.back();
  if (bytes >= large_bytes) return take_large(bytes);
  void* memory = std::aligned_alloc(alignment, round_up(std::max<std::size_t>(bytes, 1), alignment));
  if (memory == nullptr) throw std::bad_alloc();
  const std::lock_guard lock(mutex_);
  used_bytes_ += bytes;
  held_bytes_ += bytes;
  peak_bytes_ = std::max(peak_bytes_, held_bytes_);
  return memory;
}

void* Storage::take_large(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  // The smallest free block that is large enough and not wasteful.
  auto best = free_.end();
  for (auto block = free_.begin(); block != free_.end(); ++block)
    if (block->bytes >= bytes && block->bytes <= bytes + bytes / 2 && (best == free_.end() || block->bytes < best->bytes))
      best = block;
  Block block;
  if (best != free_.end()) {
    block = *best;
    free_.erase(best);
  } else {
    block = {nullptr, round_up(bytes, huge_page_bytes)};
    block.memory = map_aligned(block.bytes);
    if (block.memory == nullptr) throw std::bad_alloc();
    held_bytes_ += block.bytes;
    peak_bytes_ = std::max(peak_bytes_, held_bytes_);
  }
  used_bytes_ += bytes;
  large_.push_back(block);
  return block.memory;
}

void Storage::give_back(void* memory, std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  used_bytes_ -= bytes;
  if (bytes < large_bytes) {
    held_bytes_ -= bytes;
    std::free(memory);
    return;
  }
  const auto block = std::find_if(large_.begin(), large_.end(), [&](const Block& b) { return b.memory == memory; });
  free_.push_back(*block);
  large_.erase(block);
}

void Storage::trim() noexcept {
  const std::lock_guard lock(mutex_);
  for (const Block& block : free_) {
    munmap(block.memory, block.bytes);
    held_bytes_ -= block.bytes;
  }
  free_.clear();
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
