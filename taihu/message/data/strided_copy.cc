// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/data/strided_copy.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace taihu::message {
namespace {

/// A block of two words of different or equal sizes.
template <class First, class Second>
struct TwoWords {
  static constexpr std::size_t bytes = sizeof(First) + sizeof(Second);
  First first;
  Second second;
  static TwoWords load(const std::byte* source) noexcept {
    return {detail::load<First>(source), detail::load<Second>(source + sizeof(First))};
  }
  void store(std::byte* target) const noexcept {
    detail::store(target, first);
    detail::store(target + sizeof(First), second);
  }
};

/// A block of one word.
template <class Word>
struct OneWord {
  static constexpr std::size_t bytes = sizeof(Word);
  Word word;
  static OneWord load(const std::byte* source) noexcept { return {detail::load<Word>(source)}; }
  void store(std::byte* target) const noexcept { detail::store(target, word); }
};

/// Four blocks a round: loads first, so that they need not wait for stores that the compiler must take for
/// overlapping.
template <class Block>
void copy_blocks(std::byte* target, std::ptrdiff_t target_stride, const std::byte* source,
                 std::ptrdiff_t source_stride, std::size_t count) noexcept {
  for (; count >= 4; count -= 4) {
    const Block a = Block::load(source);
    const Block b = Block::load(source + source_stride);
    const Block c = Block::load(source + 2 * source_stride);
    const Block d = Block::load(source + 3 * source_stride);
    a.store(target);
    b.store(target + target_stride);
    c.store(target + 2 * target_stride);
    d.store(target + 3 * target_stride);
    source += 4 * source_stride;
    target += 4 * target_stride;
  }
  for (; count > 0; --count) {
    Block::load(source).store(target);
    source += source_stride;
    target += target_stride;
  }
}

/// One side is dense, most of the time: then the compiler knows its stride.
template <class Block>
void copy_fixed(std::byte* target, std::ptrdiff_t target_stride, const std::byte* source,
                std::ptrdiff_t source_stride, std::size_t count) noexcept {
  constexpr auto dense = static_cast<std::ptrdiff_t>(Block::bytes);
  if (target_stride == dense)
    copy_blocks<Block>(target, dense, source, source_stride, count);
  else if (source_stride == dense)
    copy_blocks<Block>(target, target_stride, source, dense, count);
  else
    copy_blocks<Block>(target, target_stride, source, source_stride, count);
}

#if defined(__x86_64__)
const bool avx2_is_there = __builtin_cpu_supports("avx2") != 0;

/// Blocks of more than 32 bytes, in moves of 32, the last two of which may overlap.
__attribute__((target("avx2"))) void copy_wide(std::byte* target, std::ptrdiff_t target_stride,
                                               const std::byte* source, std::ptrdiff_t source_stride,
                                               std::size_t bytes, std::size_t count) noexcept {
  for (; count > 0; --count) {
    const __m256i tail = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + bytes - 32));
    for (std::size_t done = 0; done + 32 < bytes; done += 32)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + done),
                          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + done)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + bytes - 32), tail);
    source += source_stride;
    target += target_stride;
  }
}
#endif

/// Blocks that one side lists.
template <class Block, ListSide side>
void copy_list(std::byte* listed, const std::ptrdiff_t* offsets, std::byte* dense,
               std::size_t count) noexcept {
  for (std::size_t i = 0; i < count; ++i, dense += Block::bytes) {
    if constexpr (side == ListSide::source)
      Block::load(moved(listed, offsets[i])).store(dense);
    else
      Block::load(dense).store(moved(listed, offsets[i]));
  }
}

using detail::Word16;
using Word1 = std::uint8_t;
using Word2 = std::uint16_t;
using Word4 = std::uint32_t;
using Word8 = std::uint64_t;

void copy_any(std::byte* target, std::ptrdiff_t target_stride, const std::byte* source,
              std::ptrdiff_t source_stride, std::size_t bytes, std::size_t count) noexcept {
#if defined(__x86_64__)
  constexpr std::size_t widest = 256;
  if (avx2_is_there && bytes > 32 && bytes <= widest)
    return copy_wide(target, target_stride, source, source_stride, bytes, count);
#endif
  for (; count > 0; --count) {
    copy_block(target, source, bytes);
    source += source_stride;
    target += target_stride;
  }
}

}  // namespace

void copy_strided(std::byte* target, std::ptrdiff_t target_stride, const std::byte* source,
                  std::ptrdiff_t source_stride, std::size_t bytes, std::size_t count) noexcept {
  if (count == 1) return copy_block(target, source, bytes);
  const auto dense = static_cast<std::ptrdiff_t>(bytes);
  if (target_stride == dense && source_stride == dense) return copy_block(target, source, bytes * count);
  switch (bytes) {
    case 1:
      return copy_fixed<OneWord<Word1>>(target, target_stride, source, source_stride, count);
    case 2:
      return copy_fixed<OneWord<Word2>>(target, target_stride, source, source_stride, count);
    case 4:
      return copy_fixed<OneWord<Word4>>(target, target_stride, source, source_stride, count);
    case 8:
      return copy_fixed<OneWord<Word8>>(target, target_stride, source, source_stride, count);
    case 12:
      return copy_fixed<TwoWords<Word8, Word4>>(target, target_stride, source, source_stride, count);
    case 16:
      return copy_fixed<OneWord<Word16>>(target, target_stride, source, source_stride, count);
    case 24:
      return copy_fixed<TwoWords<Word16, Word8>>(target, target_stride, source, source_stride, count);
    case 32:
      return copy_fixed<TwoWords<Word16, Word16>>(target, target_stride, source, source_stride, count);
    default:
      return copy_any(target, target_stride, source, source_stride, bytes, count);
  }
}

template <ListSide side>
void copy_listed(std::byte* listed, const std::ptrdiff_t* offsets, std::byte* dense, std::size_t bytes,
                 std::size_t count) noexcept {
  switch (bytes) {
    case 4:
      return copy_list<OneWord<Word4>, side>(listed, offsets, dense, count);
    case 8:
      return copy_list<OneWord<Word8>, side>(listed, offsets, dense, count);
    case 16:
      return copy_list<OneWord<Word16>, side>(listed, offsets, dense, count);
    case 24:
      return copy_list<TwoWords<Word16, Word8>, side>(listed, offsets, dense, count);
    case 32:
      return copy_list<TwoWords<Word16, Word16>, side>(listed, offsets, dense, count);
    default:
      break;
  }
  for (std::size_t i = 0; i < count; ++i, dense += bytes) {
    if constexpr (side == ListSide::source)
      copy_block(dense, moved(listed, offsets[i]), bytes);
    else
      copy_block(moved(listed, offsets[i]), dense, bytes);
  }
}

template void copy_listed<ListSide::source>(std::byte*, const std::ptrdiff_t*, std::byte*, std::size_t,
                                            std::size_t) noexcept;
template void copy_listed<ListSide::target>(std::byte*, const std::ptrdiff_t*, std::byte*, std::size_t,
                                            std::size_t) noexcept;

}  // namespace taihu::message
