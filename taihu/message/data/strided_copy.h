// SPDX-License-Identifier: Apache-2.0
// Copies rows of equal blocks: the innermost loop of packing, unpacking and copying. A block of a fixed small
// size is a few moves without a call; other short blocks are copied by overlapping moves from both ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "taihu/message/data/copy.h"

namespace taihu::message {

/// base + offset for addresses that may be absolute (MPI_BOTTOM).
inline std::byte* moved(const void* base, std::ptrdiff_t offset) noexcept {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) +
                                      static_cast<std::uintptr_t>(offset));
}

namespace detail {
struct Word16 {
  std::uint8_t bytes __attribute__((vector_size(16)));
};

template <class Word>
inline Word load(const std::byte* source) noexcept {
  Word word;
  std::memcpy(&word, source, sizeof word);
  return word;
}
template <class Word>
inline void store(std::byte* target, const Word& word) noexcept {
  std::memcpy(target, &word, sizeof word);
}

/// Both ends of a block of between one word and two.
template <class Word>
inline void copy_ends(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  const auto head = load<Word>(source), tail = load<Word>(source + bytes - sizeof(Word));
  store(target, head);
  store(target + bytes - sizeof(Word), tail);
}
}  // namespace detail

/// One block of any size; the ranges do not overlap.
inline void copy_block(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  using detail::Word16;
  if (bytes > 32) {
    if (bytes > 64) return copy_bytes(target, source, bytes);
    const auto first = detail::load<Word16>(source), second = detail::load<Word16>(source + 16);
    detail::copy_ends<Word16>(target + bytes - 32, source + bytes - 32, 32);
    detail::store(target, first);
    detail::store(target + 16, second);
    return;
  }
  if (bytes >= 16) return detail::copy_ends<Word16>(target, source, bytes);
  if (bytes >= 8) return detail::copy_ends<std::uint64_t>(target, source, bytes);
  if (bytes >= 4) return detail::copy_ends<std::uint32_t>(target, source, bytes);
  if (bytes >= 2) return detail::copy_ends<std::uint16_t>(target, source, bytes);
  if (bytes == 1) *target = *source;
}

/// `count` blocks of `bytes` bytes; strides in bytes. No block of one side overlaps one of the other.
void copy_strided(std::byte* target, std::ptrdiff_t target_stride, const std::byte* source,
                  std::ptrdiff_t source_stride, std::size_t bytes, std::size_t count) noexcept;

/// Which side of a copy has its blocks at listed offsets; the other has them one behind the other.
enum class ListSide { source, target };

/// `count` blocks of `bytes` bytes: at listed + offsets[i], and one behind the other from `dense` on.
template <ListSide side>
void copy_listed(std::byte* listed, const std::ptrdiff_t* offsets, std::byte* dense, std::size_t bytes,
                 std::size_t count) noexcept;

}  // namespace taihu::message
