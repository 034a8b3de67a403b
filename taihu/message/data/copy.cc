// SPDX-License-Identifier: Apache-2.0
// Short copies, and those whose ends stand alike modulo 16, are glibc's. The others run in blocks of 128
// bytes with aligned stores and unaligned loads. The empty assembler statement in each loop keeps the
// compiler from recognising the loop and calling memcpy after all.
#include "taihu/message/data/copy.h"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace taihu::message {

namespace {

constexpr std::size_t block_bytes = 128;

using AlignedWords = std::uint8_t __attribute__((vector_size(16), may_alias));

/// `target` is a multiple of 16. Returns the bytes copied: all whole blocks.
std::size_t copy_blocks_portable(std::byte* target, const std::byte* source, std::size_t bytes) noexcept {
  std::size_t done = 0;
  for (; done + block_bytes <= bytes; done += block_bytes) {
    AlignedWords words[8];
    for (int i = 0; i < 8; ++i) std::memcpy(&words[i], source + done + 16 * i, 16);  // an unaligned load
    for (int i = 0; i < 8; ++i) *reinterpret_cast<AlignedWords*>(target + done + 16 * i) = words[i];
    __asm__ volatile("" ::: "memory");
  }
  return done;
}

#if defined(__x86_64__)
/// `target` is a multiple of 32.
__attribute__((target("avx2"))) std::size_t copy_blocks_avx2(std::byte* target, const std::byte* source,
                                                             std::size_t bytes) noexcept {
  std::size_t done = 0;
  for (; done + block_bytes <= bytes; done += block_bytes) {
    const auto* from = reinterpret_cast<const __m256i*>(source + done);
    auto* to = reinterpret_cast<__m256i*>(target + done);
    const __m256i a = _mm256_loadu_si256(from);
    const __m256i b = _mm256_loadu_si256(from + 1);
    const __m256i c = _mm256_loadu_si256(from + 2);
    const __m256i d = _mm256_loadu_si256(from + 3);
    _mm256_store_si256(to, a);
    _mm256_store_si256(to + 1, b);
    _mm256_store_si256(to + 2, c);
    _mm256_store_si256(to + 3, d);
    __asm__ volatile("" ::: "memory");
  }
  return done;
}

bool has_avx2() noexcept {
  static const bool answer = __builtin_cpu_supports("avx2") != 0;
  return answer;
}
#endif

using CopyBlocks = std::size_t (*)(std::byte*, const std::byte*, std::size_t) noexcept;

void copy_with(CopyBlocks copy_blocks, void* target, const void* source, std::size_t bytes) noexcept {
  auto* to = static_cast<std::byte*>(target);
  const auto* from = static_cast<const std::byte*>(source);
  const std::size_t head = -reinterpret_cast<std::uintptr_t>(to) & 31;
  std::memcpy(to, from, head);
  const std::size_t done = head + copy_blocks(to + head, from + head, bytes - head);
  std::memcpy(to + done, from + done, bytes - done);
}

}  // namespace

void copy_long(void* target, const void* source, std::size_t bytes) noexcept {
  const std::size_t offset =
      reinterpret_cast<std::uintptr_t>(target) - reinterpret_cast<std::uintptr_t>(source);
  if (offset % 16 == 0) {
    std::memcpy(target, source, bytes);
    return;
  }
#if defined(__x86_64__)
  if (has_avx2()) return copy_with(copy_blocks_avx2, target, source, bytes);
#endif
  copy_with(copy_blocks_portable, target, source, bytes);
}

void copy_bytes_portable(void* target, const void* source, std::size_t bytes) noexcept {
  if (bytes < long_copy_bytes) return copy_bytes(target, source, bytes);
  copy_with(copy_blocks_portable, target, source, bytes);
}

}  // namespace taihu::message
