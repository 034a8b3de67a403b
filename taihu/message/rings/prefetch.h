// SPDX-License-Identifier: Apache-2.0
// Asking for cache lines before they are needed, so that the ways of several overlap.
#pragma once

#include <algorithm>
#include <cstddef>

namespace taihu::message {

/// Asks for a cache line that will be written.
inline void prefetch_to_write(const void* address) noexcept {
#if defined(__x86_64__)
  // The builtin asks for a copy to read unless the compiler may use this instruction, which is no more than a
  // hint on processors that lack it.
  __asm__ volatile("prefetchw %0" : : "m"(*static_cast<const char*>(address)));
#else
  __builtin_prefetch(address, 1);
#endif
}

/// Asks for the lines of `bytes` at `data`, the first of them.
inline void prefetch_to_read(const std::byte* data, std::size_t bytes) noexcept {
  constexpr std::size_t most_bytes = 4096;
  for (std::size_t at = 0; at < std::min(bytes, most_bytes); at += 64) __builtin_prefetch(data + at);
}

}  // namespace taihu::message
