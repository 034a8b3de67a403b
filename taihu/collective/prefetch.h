// SPDX-License-Identifier: Apache-2.0
// Hints to the processor: fetch a cache line before it is needed. Wrong addresses cost time and do no harm.
#pragma once

#include <cstddef>

namespace taihu::collective {

inline constexpr std::size_t cache_line_bytes = 64;

/// To read it soon.
inline void prefetch(const void* address) noexcept {
  __builtin_prefetch(address);
}

/// To write it soon: takes the line from the caches of the other cores.
inline void prefetch_to_write(const void* address) noexcept {
#if defined(__x86_64__)
  // The builtin becomes this instruction only when the compiler is told of a processor that has it. Those
  // that do not have it take it for no operation.
  __asm__ volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// So many lines are asked for at once: about as many as a core can wait for.
inline constexpr std::size_t most_prefetched_bytes = 16 * cache_line_bytes;

template <void (*fetch)(const void*) noexcept>
void prefetch_lines(const std::byte* first, std::size_t bytes) noexcept {
  const std::size_t end = bytes < most_prefetched_bytes ? bytes : most_prefetched_bytes;
  for (std::size_t offset = 0; offset < end; offset += cache_line_bytes) fetch(first + offset);
}

}  // namespace taihu::collective
