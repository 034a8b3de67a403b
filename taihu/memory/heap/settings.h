// SPDX-License-Identifier: Apache-2.0
// What the environment may change; docs/reference/heap.md describes each variable.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "taihu/memory/heap/text.h"

namespace taihu::memory::heap {

struct Settings {
  static constexpr std::uint32_t never = UINT32_MAX, soon_ms = 500;

  std::atomic<std::uint32_t> decay_ms{10'000};  ///< TAIHU_HEAP_DECAY: free memory goes back after this time
  bool decay_is_given = false;                  ///< by the variable
  std::atomic<std::size_t> much_free_bytes{16 << 20};  ///< of a node: from here on a thread gives it back
  std::size_t huge_pages_from_bytes = SIZE_MAX;  ///< TAIHU_HEAP_HUGE_PAGES: size of the heap they begin at
  bool statistics = false;                       ///< TAIHU_HEAP_STATS
  bool secure = false;                           ///< TAIHU_HEAP_SECURE: guards.h
  // TAIHU_HEAP_PREALLOC
  unsigned prepared_threads = 0;
  std::size_t central_bytes = 0;     ///< kept for all threads; never given back
  std::size_t per_thread_bytes = 0;  ///< each of the first `prepared_threads` threads starts with this much

  bool memory_goes_back_soon() const { return decay_ms.load(std::memory_order_relaxed) <= soon_ms; }
};

extern Settings settings;

/// Reads the variables; prints one line for each that cannot be understood and leaves its default.
void read_settings();
/// The same into `result`, with the values that `value_of` gives (null: none) and the lines to `complain`.
void read_settings(const char* (*value_of)(const char* name), Settings& result,
                   void (*complain)(const Text& line));

/// "64M" and the like: a whole number with an optional K, M, G or T (powers of 1024). False when it is
/// something else.
bool parse_bytes(const char* begin, const char* end, std::size_t& bytes);

}  // namespace taihu::memory::heap
