// SPDX-License-Identifier: Apache-2.0
// Values packed into the bytes of a message. All ranks run the same program on machines of one kind, so
// values travel as they lie in memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "taihu/base/error.h"

namespace taihu::parallel {

using Bytes = std::vector<std::byte>;

template <typename T>
void append(Bytes& bytes, const T* values, std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::size_t end = bytes.size();
  bytes.resize(end + count * sizeof(T));
  if (count > 0) std::memcpy(bytes.data() + end, values, count * sizeof(T));
}

template <typename T>
void append(Bytes& bytes, const T& value) {
  append(bytes, &value, 1);
}

/// Takes values out of a message in the order in which they were appended.
class Reader {
 public:
  /// The bytes must outlive the reader.
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}
  bool empty() const noexcept { return rest_.empty(); }
  std::size_t size() const noexcept { return rest_.size(); }

  /// Throws Error when fewer values are left.
  template <typename T>
  void read(T* values, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count > rest_.size() / sizeof(T)) throw Error("a message of another rank ends too early");
    if (count > 0) std::memcpy(static_cast<void*>(values), rest_.data(), count * sizeof(T));
    rest_ = rest_.subspan(count * sizeof(T));
  }

  template <typename T>
  T read() {
    T value;
    read(&value, 1);
    return value;
  }

 private:
  std::span<const std::byte> rest_;
};

template <typename T>
Bytes to_bytes(const std::vector<T>& values) {
  Bytes bytes;
  append(bytes, values.data(), values.size());
  return bytes;
}

template <typename T>
std::vector<T> from_bytes(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  Reader(bytes).read(values.data(), values.size());
  return values;
}

}  // namespace taihu::parallel
