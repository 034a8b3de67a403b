// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/offset_allocator.h"

#include <algorithm>
#include <iterator>

#include "taihu/base/contract.h"
#include "taihu/base/error.h"

namespace taihu::memory {

OffsetAllocator::OffsetAllocator(std::uint64_t capacity_bytes)
    : capacity_bytes_(capacity_bytes / alignment * alignment), free_bytes_(capacity_bytes_) {
  if (capacity_bytes_ > 0) gaps_.emplace(0, capacity_bytes_);
}

OffsetAllocator::OffsetAllocator(std::uint64_t capacity_bytes,
                                 const std::map<std::uint64_t, std::uint64_t>& blocks)
    : OffsetAllocator(capacity_bytes) {
  gaps_.clear();
  std::uint64_t at = 0;
  for (const auto& [offset, bytes] : blocks) {
    const bool fits = offset >= at && offset % alignment == 0 && bytes > 0 && bytes % alignment == 0 &&
                      offset <= capacity_bytes_ && bytes <= capacity_bytes_ - offset;
    check_input(fits, "blocks of a heap overlap or lie outside of it");
    if (offset > at) gaps_.emplace(at, offset - at);
    at = offset + bytes;
    free_bytes_ -= bytes;
  }
  if (at < capacity_bytes_) gaps_.emplace(at, capacity_bytes_ - at);
  blocks_ = blocks;
}

std::optional<std::uint64_t> OffsetAllocator::allocate(std::uint64_t bytes) {
  if (bytes > capacity_bytes_) return std::nullopt;
  const std::uint64_t room = (std::max<std::uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  const auto gap =
      std::find_if(gaps_.begin(), gaps_.end(), [&](const auto& entry) { return entry.second >= room; });
  if (gap == gaps_.end()) return std::nullopt;
  const auto [offset, gap_bytes] = *gap;
  gaps_.erase(gap);
  if (gap_bytes > room) gaps_.emplace(offset + room, gap_bytes - room);
  blocks_.emplace(offset, room);
  free_bytes_ -= room;
  return offset;
}

bool OffsetAllocator::release(std::uint64_t offset) {
  const auto block = blocks_.find(offset);
  if (block == blocks_.end()) return false;
  std::uint64_t bytes = block->second;
  free_bytes_ += bytes;
  blocks_.erase(block);
  auto next = gaps_.lower_bound(offset);
  if (next != gaps_.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = gaps_.erase(next);
  }
  if (next != gaps_.begin() && std::prev(next)->first + std::prev(next)->second == offset)
    std::prev(next)->second += bytes;
  else
    gaps_.emplace(offset, bytes);
  return true;
}

std::optional<std::uint64_t> OffsetAllocator::block_bytes(std::uint64_t offset) const {
  const auto block = blocks_.find(offset);
  return block == blocks_.end() ? std::nullopt : std::optional(block->second);
}

/// Gaps and blocks take turns from 0 to the capacity, and no two gaps touch; bytes of gaps == free bytes.
void OffsetAllocator::check_invariants() const {
  std::uint64_t at = 0, free = 0;
  bool behind_gap = false;
  for (auto gap = gaps_.begin(), block = blocks_.begin(); gap != gaps_.end() || block != blocks_.end();) {
    const bool is_gap = gap != gaps_.end() && gap->first == at;
    ensure(is_gap || (block != blocks_.end() && block->first == at),
           "where a gap or a block ends another one begins");
    ensure(!is_gap || !behind_gap, "no two gaps touch");
    const std::uint64_t bytes = is_gap ? (gap++)->second : (block++)->second;
    ensure(bytes > 0 && bytes % alignment == 0, "gaps and blocks are multiples of the alignment");
    at += bytes;
    if (is_gap) free += bytes;
    behind_gap = is_gap;
  }
  ensure(at == capacity_bytes_, "gaps + blocks == capacity");
  ensure(free == free_bytes_, "bytes of all gaps == free bytes");
}

std::uint64_t OffsetAllocator::largest_gap_bytes() const {
  std::uint64_t largest = 0;
  for (const auto& [offset, bytes] : gaps_) largest = std::max(largest, bytes);
  return largest;
}

}  // namespace taihu::memory
