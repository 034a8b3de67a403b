// SPDX-License-Identifier: Apache-2.0
// An array of plain values in a storage. Fresh elements are uninitialised: the thread that owns a part
// touches it first. Behind the last element are 64 readable bytes of zeros, so that vector loads may reach
// past the end.
#pragma once

#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "taihu/amg/parallel/storage.h"

namespace taihu::amg {

/// Ends of the parts of an array with `per_row` elements for each row of the partition and `tail` further
/// ones in the last part.
std::vector<std::size_t> part_ends(const Partition& partition, std::size_t per_row = 1, std::size_t tail = 0);

/// Ends of the parts of an array of entries, those of row i being starts[i] .. starts[i + 1].
std::vector<std::size_t> part_ends(const Partition& partition, std::span<const Offset> starts);

template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  Array(Storage& storage, std::vector<std::size_t> part_end) : storage_(&storage), size_(part_end.back()) {
    part_end.back() += guard;
    data_ = static_cast<T*>(storage.take(sizeof(T), part_end));
    std::memset(static_cast<void*>(data_ + size_), 0, guard * sizeof(T));
  }
  Array(Storage& storage, std::size_t size) : Array(storage, std::vector<std::size_t>{size}) {}
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    Array taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Array() {
    if (storage_ != nullptr) storage_->give_back(data_, (size_ + guard) * sizeof(T));
  }

  /// A view of memory that belongs to somebody else and outlives the array; without zeros behind its end.
  static Array borrow(T* data, std::size_t size) {
    Array array;
    array.data_ = data;
    array.size_ = size;
    return array;
  }

  /// Gives back all elements but the first `size`.
  void shorten(std::size_t size) {
    data_ =
        static_cast<T*>(storage_->shorten(data_, (size_ + guard) * sizeof(T), (size + guard) * sizeof(T)));
    size_ = size;
    std::memset(static_cast<void*>(data_ + size_), 0, guard * sizeof(T));
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  operator std::span<const T>() const { return {data_, size_}; }

  /// Bytes of the elements.
  std::size_t bytes() const { return size_ * sizeof(T); }

  void swap(Array& other) noexcept {
    std::swap(storage_, other.storage_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  static constexpr std::size_t guard = (64 + sizeof(T) - 1) / sizeof(T);

  Storage* storage_ = nullptr;  // null: empty or borrowed
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace taihu::amg
