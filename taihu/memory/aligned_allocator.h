// SPDX-License-Identifier: Apache-2.0
// Allocator of the standard containers whose memory begins at a multiple of `alignment` bytes: whole cache
// lines for vector instructions, no line shared with a neighbour's data. Source: Xu et al., RMC, section 2.3
// (vectors aligned to 64 bytes).
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace taihu::memory {

/// All objects are equal: what one allocated another may free. Throws std::bad_alloc, also when the size
/// overflows.
template <typename T, std::size_t alignment = 64>
class aligned_allocator {
  static_assert((alignment & (alignment - 1)) == 0, "the alignment is a power of two");
  static_assert(alignment >= alignof(T), "the alignment is at least that of the elements");

 public:
  using value_type = T;
  template <typename Other>
  struct rebind {
    using other = aligned_allocator<Other, (alignment > alignof(Other) ? alignment : alignof(Other))>;
  };

  constexpr aligned_allocator() noexcept = default;
  template <typename Other, std::size_t other_alignment>
  constexpr aligned_allocator(const aligned_allocator<Other, other_alignment>&) noexcept {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t{alignment}));
  }
  void deallocate(T* place, std::size_t count) noexcept {
    ::operator delete(place, count * sizeof(T), std::align_val_t{alignment});
  }
  template <typename Other, std::size_t other_alignment>
  constexpr bool operator==(const aligned_allocator<Other, other_alignment>&) const noexcept {
    return true;
  }
};

/// A vector whose data begin at a cache line.
template <typename T, std::size_t alignment = 64>
using aligned_vector = std::vector<T, aligned_allocator<T, alignment>>;

}  // namespace taihu::memory
