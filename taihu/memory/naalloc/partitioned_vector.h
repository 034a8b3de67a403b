// SPDX-License-Identifier: Apache-2.0
// An array of fixed length whose parts belong to threads: the pages of part t lie on the memory node of
// thread t. Its elements are initialised by whoever constructs it; that does not matter to where they lie.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "taihu/abi/naalloc.h"

namespace taihu::memory {

/// Ends of `parts` equal consecutive parts of `count` elements, as naalloc_block divides them.
inline std::vector<std::size_t> even_parts(std::size_t count, int parts) {
  std::vector<std::size_t> ends;
  std::size_t end = 0;
  const auto wanted = static_cast<std::size_t>(parts);
  for (std::size_t part = 0; part < wanted; ++part)
    ends.push_back(end += count / wanted + (part < count % wanted ? 1 : 0));
  return ends;
}

/// Moves, but does not copy by accident: see clone(). Throws std::bad_alloc without memory,
/// std::invalid_argument for parts that fall. Elements are aligned to a page, or to 64 bytes in small
/// vectors.
template <typename T>
class partitioned_vector {
  static_assert(alignof(T) <= 64, "small blocks are aligned to 64 bytes");

 public:
  using value_type = T;
  using iterator = T*;
  using const_iterator = const T*;

  partitioned_vector() noexcept = default;
  /// `count` value-initialised elements in equal parts, one for each thread that naalloc knows.
  explicit partitioned_vector(std::size_t count) : partitioned_vector(even_parts(count, naalloc_threads())) {}
  /// Part t ends before element part_end[t]; the last end is the number of elements.
  explicit partitioned_vector(std::vector<std::size_t> part_end) : part_end_(std::move(part_end)) {
    if (part_end_.empty() || part_end_.back() == 0) return;
    if (!std::is_sorted(part_end_.begin(), part_end_.end()))
      throw std::invalid_argument("ends of parts fall; give them in order");
    const int parts = static_cast<int>(part_end_.size());
    constexpr bool zero_is_right = std::is_arithmetic_v<T> || std::is_pointer_v<T>;
    data_.reset(static_cast<T*>(zero_is_right ? naalloc_zeroed(sizeof(T), part_end_.data(), parts)
                                              : naalloc(sizeof(T), part_end_.data(), parts)));
    if (!data_) throw std::bad_alloc();
    if constexpr (!zero_is_right) {
      std::uninitialized_value_construct_n(data_.get(), size());
      data_.get_deleter().count = size();
    }
  }

  partitioned_vector(partitioned_vector&& other) noexcept
      : part_end_(std::exchange(other.part_end_, {})), data_(std::move(other.data_)) {}
  partitioned_vector& operator=(partitioned_vector&& other) noexcept {
    part_end_ = std::exchange(other.part_end_, {});
    data_ = std::move(other.data_);
    return *this;
  }
  partitioned_vector(const partitioned_vector&) = delete;
  partitioned_vector& operator=(const partitioned_vector&) = delete;
  ~partitioned_vector() = default;

  /// A copy with the same parts.
  partitioned_vector clone() const {
    partitioned_vector copy(part_end_);
    std::copy(begin(), end(), copy.begin());
    return copy;
  }

  std::size_t size() const noexcept { return part_end_.empty() ? 0 : part_end_.back(); }
  bool empty() const noexcept { return size() == 0; }
  T* data() noexcept { return data_.get(); }
  const T* data() const noexcept { return data_.get(); }
  T& operator[](std::size_t i) noexcept { return data_.get()[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_.get()[i]; }
  iterator begin() noexcept { return data(); }
  iterator end() noexcept { return data() + size(); }
  const_iterator begin() const noexcept { return data(); }
  const_iterator end() const noexcept { return data() + size(); }

  int parts() const noexcept { return static_cast<int>(part_end_.size()); }
  /// The elements of one part.
  std::span<T> part(int number) noexcept { return {data() + part_begin(number), part_length(number)}; }
  std::span<const T> part(int number) const noexcept {
    return {data() + part_begin(number), part_length(number)};
  }
  const std::vector<std::size_t>& part_end() const noexcept { return part_end_; }

 private:
  struct Release {
    std::size_t count = 0;  ///< elements to destroy
    void operator()(T* elements) const noexcept {
      std::destroy_n(elements, count);
      nafree(elements);
    }
  };
  std::size_t part_begin(int number) const noexcept {
    return number == 0 ? 0 : part_end_[static_cast<std::size_t>(number) - 1];
  }
  std::size_t part_length(int number) const noexcept {
    return part_end_[static_cast<std::size_t>(number)] - part_begin(number);
  }

  std::vector<std::size_t> part_end_;
  std::unique_ptr<T, Release> data_;
};

}  // namespace taihu::memory
