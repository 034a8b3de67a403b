// SPDX-License-Identifier: Apache-2.0
// First-fit allocation of offsets in [0, capacity). A pure function of its calls: two allocators that see the
// same calls give the same offsets, which is what makes a heap symmetric. Blocks begin at multiples of 64
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace taihu::memory {

class OffsetAllocator {
 public:
  static constexpr std::uint64_t alignment = 64;

  explicit OffsetAllocator(std::uint64_t capacity_bytes);

  /// With these blocks (offset -> bytes, as blocks() gave them). Throws Error when they do not fit.
  OffsetAllocator(std::uint64_t capacity_bytes, const std::map<std::uint64_t, std::uint64_t>& blocks);

  /// Offset of a new block; nothing when no gap is large enough. A size of 0 gives a block, too.
  std::optional<std::uint64_t> allocate(std::uint64_t bytes);
  /// Takes back a block; false when `offset` is not the begin of one.
  bool release(std::uint64_t offset);
  /// Room of the block at `offset`; nothing when there is none.
  std::optional<std::uint64_t> block_bytes(std::uint64_t offset) const;

  std::uint64_t capacity_bytes() const { return capacity_bytes_; }
  std::uint64_t free_bytes() const { return free_bytes_; }
  const std::map<std::uint64_t, std::uint64_t>& blocks() const { return blocks_; }
  std::size_t block_count() const { return blocks_.size(); }
  /// Largest size that allocate would now give.
  std::uint64_t largest_gap_bytes() const;
  void check_invariants() const;

 private:
  std::uint64_t capacity_bytes_;
  std::uint64_t free_bytes_;
  std::map<std::uint64_t, std::uint64_t> gaps_, blocks_;  ///< offset -> bytes; gaps never touch each other
};

}  // namespace taihu::memory
