// SPDX-License-Identifier: Apache-2.0
// Copies rows of equal blocks: the innermost loop of packing, unpacking and copying. A block of a fixed small
// size is a few moves without a call; other short blocks are copied by overlapping moves from both ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "taihu/message/copy.h"

namespace taihu::mpi {

/// base + offset for addresses that may be absolute (MPI_BOTTOM).
inline std::byte* moved(const void* base, std::ptrdiff_t offset) noexcept {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) +
                                      static_cast<std::uintptr_t>(offset));
}

namespace detail {
/// Both ends of a block of between Piece and 2 * Piece bytes.
template <std::size_t Piece>
inline void copy_ends(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  struct Words {
    std::byte bytes[Piece];
  } head, tail;
  std::memcpy(&head, source, Piece);
  std::memcpy(&tail, source + bytes - Piece, Piece);
  std::memcpy(target, &head, Piece);
  std::memcpy(target + bytes - Piece, &tail, Piece);
}
}  // namespace detail

/// One block of any size; the ranges do not overlap.
inline void copy_block(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  if (bytes >= 16) {
    if (bytes > 128) return message::copy_bytes(target, source, bytes);
    if (bytes > 64) return detail::copy_ends<64>(target, source, bytes);
    if (bytes > 32) return detail::copy_ends<32>(target, source, bytes);
    return detail::copy_ends<16>(target, source, bytes);
  }
  if (bytes >= 8) return detail::copy_ends<8>(target, source, bytes);
  if (bytes >= 4) return detail::copy_ends<4>(target, source, bytes);
  if (bytes >= 2) return detail::copy_ends<2>(target, source, bytes);
  if (bytes == 1) *target = *source;
}

/// `count` blocks of `bytes` bytes; strides in bytes. No block of one side overlaps one of the other.
void copy_strided(std::byte* target, std::ptrdiff_t target_stride, const std::byte* source,
                  std::ptrdiff_t source_stride, std::size_t bytes, std::size_t count) noexcept;

}  // namespace taihu::mpi
