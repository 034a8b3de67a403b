// SPDX-License-Identifier: Apache-2.0
// Numbers and texts in a row of bytes, for calls between node processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "taihu/base/contract.h"

namespace taihu::mpi {

class WordWriter {
 public:
  WordWriter& number(std::int64_t value) {
    const std::size_t end = bytes_.size();
    bytes_.resize(end + sizeof value);
    std::memcpy(bytes_.data() + end, &value, sizeof value);
    return *this;
  }
  WordWriter& text(const std::string& value) {
    number(static_cast<std::int64_t>(value.size()));
    const auto* const first = reinterpret_cast<const std::byte*>(value.data());
    bytes_.insert(bytes_.end(), first, first + value.size());
    return *this;
  }
  WordWriter& numbers(const std::vector<int>& values) {
    number(static_cast<std::int64_t>(values.size()));
    for (const int value : values) number(value);
    return *this;
  }
  const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what a WordWriter has written, in the same order.
class WordReader {
 public:
  explicit WordReader(const std::vector<std::byte>& bytes) : bytes_(bytes) {}

  std::int64_t number() {
    std::int64_t value = 0;
    take(&value, sizeof value);
    return value;
  }
  std::string text() {
    std::string value(static_cast<std::size_t>(number()), '\0');
    take(value.data(), value.size());
    return value;
  }
  std::vector<int> numbers() {
    std::vector<int> values(static_cast<std::size_t>(number()));
    for (int& value : values) value = static_cast<int>(number());
    return values;
  }

 private:
  void take(void* target, std::size_t bytes) {
    expect(bytes <= bytes_.size() - at_, "the row ends where its writer ended");
    if (bytes != 0) std::memcpy(target, bytes_.data() + at_, bytes);
    at_ += bytes;
  }

  const std::vector<std::byte>& bytes_;
  std::size_t at_ = 0;
};

}  // namespace taihu::mpi
