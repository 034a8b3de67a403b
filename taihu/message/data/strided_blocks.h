// SPDX-License-Identifier: Apache-2.0
// Blocks of one size at one distance in memory: a column of a matrix, the face of a box. The last block may
// be shorter than the others.
#pragma once

#include <cstddef>

#include "taihu/message/data/layout.h"

namespace taihu::message {

/// Bytes from the first to behind the last of `bytes` bytes in blocks of `block` > 0, whose starts are
/// `stride` apart.
constexpr std::size_t strided_extent(std::size_t bytes, std::size_t block, std::size_t stride) noexcept {
  if (bytes == 0) return 0;
  const std::size_t before = (bytes - 1) / block;
  return before * stride + (bytes - before * block);
}

/// The row of blocks as a message.
class StridedBlocks final : public Layout {
 public:
  /// `block` > 0, `stride` >= `block`, in bytes.
  StridedBlocks(std::size_t block, std::size_t stride) noexcept : block_(block), stride_(stride) {}

  void pack(std::byte* target, const void* base, std::size_t first, std::size_t bytes) const override;
  void unpack(void* base, const std::byte* source, std::size_t first, std::size_t bytes) const override;
  /// One pass without a buffer between when `from` is a row of blocks, too.
  void copy(void* target, const Layout& from, const void* source, std::size_t bytes) const override;

 private:
  template <class CopyBlocks>
  void in_blocks(std::size_t first, std::size_t bytes, CopyBlocks&& copy_blocks) const;

  std::size_t block_;
  std::size_t stride_;
};

/// A one-sided transfer of blocks: `bytes` in all, in blocks of `block`, whose starts are as far apart on
/// either side as its stride says. Invariants: block > 0, strides >= block.
struct StridedShape {
  std::size_t bytes = 0;
  std::size_t block = 1;
  std::size_t source_stride = 1;
  std::size_t target_stride = 1;

  std::size_t source_extent() const noexcept { return strided_extent(bytes, block, source_stride); }
  std::size_t target_extent() const noexcept { return strided_extent(bytes, block, target_stride); }
  /// Whether the bytes of that side lie one behind the other.
  bool source_is_dense() const noexcept { return source_extent() == bytes; }
  bool target_is_dense() const noexcept { return target_extent() == bytes; }
};

/// The transfer within memory that this process sees; the two sides do not overlap. Any thread.
void copy_blocks(void* target, const void* source, const StridedShape& shape) noexcept;

}  // namespace taihu::message
