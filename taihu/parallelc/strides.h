// SPDX-License-Identifier: Apache-2.0
// What the `_stride` calls have in common: `size` bytes in blocks of `block`, strides from block start to
// block start.
#pragma once

#include <climits>
#include <cstddef>

namespace taihu::parallelc {

/// Why blocks cannot lie so, or null. With one block at most, the strides say nothing and may be anything.
inline const char* problem_of_blocks(long size, long block, long source_stride, long target_stride) noexcept {
  if (size < 0) return "negative size";
  if (block <= 0 && size > 0) return "block is not above 0";
  if (size <= block) return nullptr;
  if (source_stride < block || target_stride < block) {
    if (source_stride == target_stride) return "stride is smaller than block, so blocks would overlap";
    return source_stride < block ? "source_stride is smaller than block, so blocks would overlap"
                                 : "dest_stride is smaller than block, so blocks would overlap";
  }
  const long longest = source_stride > target_stride ? source_stride : target_stride;
  return (size - 1) / block > LONG_MAX / 2 / longest ? "the blocks reach beyond any memory" : nullptr;
}

/// Block and stride of arguments that have no problem, as the message layer wants them.
struct Blocks {
  std::size_t block, stride;
};
inline Blocks blocks_of(long size, long block, long stride) noexcept {
  if (size <= block) block = stride = size > 0 ? size : 1;
  return {static_cast<std::size_t>(block), static_cast<std::size_t>(stride)};
}

}  // namespace taihu::parallelc
