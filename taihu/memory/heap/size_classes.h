// SPDX-License-Identifier: Apache-2.0
// Sizes of blocks. Memory is cut into slices of 64 KiB.
//
// Small blocks (up to 32 KiB) come in classes: every 16 bytes up to 1 KiB, then eight per doubling. Blocks of
// one class lie side by side in a span of one or two slices. Large blocks are whole slices.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace taihu::memory::heap {

constexpr unsigned slice_shift = 16;
constexpr std::size_t slice_bytes = std::size_t{1} << slice_shift;

constexpr std::size_t fine_bytes = 1024;                ///< the largest size whose class is (size + 15) / 16
constexpr std::size_t small_bytes = 32 << 10;           ///< the largest small size
constexpr unsigned fine_classes = fine_bytes / 16 + 1;  ///< class 0 has no blocks: its list is always empty
constexpr unsigned small_classes = fine_classes + 8 * 5;

/// Class of a size from 1 to small_bytes.
constexpr unsigned small_class(std::size_t bytes) {
  if (bytes <= fine_bytes) return static_cast<unsigned>((bytes + 15) / 16);
  const unsigned doubling =
      static_cast<unsigned>(std::bit_width(bytes - 1)) - 1;  // 2^doubling < bytes <= 2^(doubling+1)
  const unsigned step = static_cast<unsigned>((bytes - 1) >> (doubling - 3)) & 7;
  return fine_classes + (doubling - 10) * 8 + step;
}

/// Size of the blocks of a class.
constexpr std::size_t class_bytes(unsigned small) {
  if (small < fine_classes) return std::size_t{small} * 16;
  const unsigned doubling = (small - fine_classes) / 8, step = (small - fine_classes) % 8;
  return (std::size_t{9} + step) << (doubling + 7);
}

/// Blocks of at most this size begin at multiples of it from the begin of their slice, which is their span,
/// so that free() can tell a block from an address inside one by a multiplication.
constexpr std::size_t multiple_bytes = 8192;

/// Slices of a span. At least four blocks fit; more would save calls, but every thread has spans of its own
/// for every class that it uses.
constexpr std::uint32_t span_slices(unsigned small) {
  return class_bytes(small) <= slice_bytes / 8 ? 1 : 2;
}

constexpr std::uint32_t longest_span_slices = 2;
/// Slices that hold `bytes` bytes.
constexpr std::size_t slices_for(std::size_t bytes) {
  return (bytes + slice_bytes - 1) >> slice_shift;
}

}  // namespace taihu::memory::heap
