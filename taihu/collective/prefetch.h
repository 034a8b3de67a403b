// SPDX-License-Identifier: Apache-2.0
// Hints to the processor: fetch a cache line before it is read. Wrong addresses cost time and do no harm.
#pragma once

#include <cstddef>

namespace taihu::collective {

inline constexpr std::size_t cache_line_bytes = 64;

inline void prefetch(const void* address) noexcept {
  __builtin_prefetch(address);
}

/// So many lines are asked for at once: about as many as a core can wait for.
inline constexpr std::size_t most_prefetched_bytes = 16 * cache_line_bytes;

inline void prefetch_lines(const std::byte* first, std::size_t bytes) noexcept {
  const std::size_t end = bytes < most_prefetched_bytes ? bytes : most_prefetched_bytes;
  for (std::size_t offset = 0; offset < end; offset += cache_line_bytes) prefetch(first + offset);
}

}  // namespace taihu::collective
