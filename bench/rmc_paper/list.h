// SPDX-License-Identifier: Apache-2.0
// The vector of the listed transport: std::vector, whose memory comes from malloc, or from posix_memalign in
// the program that is compiled with TAIHU_ALIGNED_LISTS. Source: Xu et al., RMC, section 2.3
// (AlignedAllocator<T, 64>).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

namespace taihu::listed {

constexpr std::size_t cache_line_bytes = 64;
constexpr std::size_t huge_bytes = 128 << 10;  ///< "huge" blocks of the paper, section 2.1

/// What the lists of one thread have asked for.
struct AllocationCount {
  std::int64_t blocks = 0, bytes = 0, huge_blocks = 0;
};
inline thread_local AllocationCount allocation_count;

/// All objects are equal: what one allocated another may free, on any thread.
template <typename T>
class ListAllocator {
 public:
  using value_type = T;
  constexpr ListAllocator() noexcept = default;
  template <typename Other>
  constexpr ListAllocator(const ListAllocator<Other>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    ++allocation_count.blocks;
    allocation_count.bytes += static_cast<std::int64_t>(bytes);
    if (bytes > huge_bytes) ++allocation_count.huge_blocks;
    void* place = nullptr;
#ifdef TAIHU_ALIGNED_LISTS
    if (posix_memalign(&place, cache_line_bytes, bytes) != 0) throw std::bad_alloc();
#else
    place = std::malloc(bytes);
    if (place == nullptr) throw std::bad_alloc();
#endif
    return static_cast<T*>(place);
  }
  void deallocate(T* place, std::size_t) noexcept { std::free(place); }

  template <typename Other>
  constexpr bool operator==(const ListAllocator<Other>&) const noexcept {
    return true;
  }
};

template <typename T>
using List = std::vector<T, ListAllocator<T>>;

}  // namespace taihu::listed
