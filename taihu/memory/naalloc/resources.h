// SPDX-License-Identifier: Apache-2.0
// naalloc behind the interfaces of the standard library: memory resources for std::pmr containers and an
// allocator for all others. Where a block goes is chosen when the resource or allocator is made.
#pragma once

#include <cstddef>
#include <limits>
#include <memory_resource>
#include <new>

#include "taihu/abi/naalloc.h"

namespace taihu::memory {

/// Where blocks go.
struct placement {
  enum class kind { parts, interleaved, node };
  kind how = kind::parts;  ///< in equal parts to the threads, page by page to all nodes, or to one node
  int node = 0;            ///< of kind node
  bool operator==(const placement&) const = default;
};

/// Memory of at least `bytes`, aligned to 64 bytes, or to a page when it is large; nafree() takes it back.
/// Throws std::bad_alloc, also for a node that does not exist. Any thread.
inline void* allocate_at(placement where, std::size_t bytes) {
  void* memory = where.how == placement::kind::parts         ? naalloc_block(bytes, 1)
                 : where.how == placement::kind::interleaved ? naalloc_interleave(bytes)
                                                             : naalloc_on_node(bytes, where.node);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

/// Throws std::bad_alloc as allocate_at(), and for an alignment above 64. Objects may be used from any
/// thread.
class numa_resource final : public std::pmr::memory_resource {
 public:
  explicit numa_resource(placement where = {}) noexcept : where_(where) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (alignment > 64) throw std::bad_alloc();
    return allocate_at(where_, bytes);
  }
  void do_deallocate(void* place, std::size_t, std::size_t) override { nafree(place); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    // Whatever naalloc gave, any of them can take back.
    return dynamic_cast<const numa_resource*>(&other) != nullptr;
  }

  placement where_;
};

/// For containers with an allocator type: std::vector<double, numa_allocator<double>>.
template <typename T>
class numa_allocator {
  static_assert(alignof(T) <= 64, "naalloc aligns to 64 bytes");

 public:
  using value_type = T;

  numa_allocator(placement where = {}) noexcept : where_(where) {}
  template <typename Other>
  numa_allocator(const numa_allocator<Other>& other) noexcept : where_(other.where()) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_at(where_, count * sizeof(T)));
  }
  void deallocate(T* place, std::size_t) noexcept { nafree(place); }
  placement where() const noexcept { return where_; }
  template <typename Other>
  bool operator==(const numa_allocator<Other>&) const noexcept {
    return true;
  }

 private:
  placement where_;
};

}  // namespace taihu::memory
