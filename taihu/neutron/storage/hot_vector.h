// SPDX-License-Identifier: Apache-2.0
// Vectors for the arrays that histories read and write all the time: cross sections, surfaces, cells, bins.
// Their memory begins at a cache line; large ones begin at a large page and ask the system for such pages,
// which saves misses of the address translation. Source: Xu et al., RMC, section 2.3 (vectors aligned to 64
// bytes).
//
// Plain memory, as any malloc gives it, can be chosen for comparison. Results do not depend on it.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace taihu::neutron {

enum class HotMemory { plain, aligned };

/// Applies to all hot vectors that are allocated from now on in this process. Call it before a model is read;
/// not while other threads run.
void set_hot_memory(HotMemory memory) noexcept;

/// At least `alignment`, a power of two. Throws std::bad_alloc.
void* allocate_hot(std::size_t bytes, std::size_t alignment);
void release_hot(void* place) noexcept;

/// All objects are equal: what one allocated another may free.
template <typename T>
class HotAllocator {
 public:
  using value_type = T;
  constexpr HotAllocator() noexcept = default;
  template <typename Other>
  constexpr HotAllocator(const HotAllocator<Other>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_hot(count * sizeof(T), alignof(T)));
  }
  void deallocate(T* place, std::size_t) noexcept { release_hot(place); }
  template <typename Other>
  constexpr bool operator==(const HotAllocator<Other>&) const noexcept {
    return true;
  }
};

template <typename T>
using HotVector = std::vector<T, HotAllocator<T>>;

}  // namespace taihu::neutron
