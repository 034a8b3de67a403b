// SPDX-License-Identifier: Apache-2.0
// Reads numbers from a binary file in memory and says where something is wrong: "file: byte 123: ...".
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "taihu/base/error.h"

namespace taihu::amg {

class BytesOfFile {
 public:
  BytesOfFile(std::string name, std::string_view bytes) : name_(std::move(name)), bytes_(bytes) {}

  std::size_t size() const { return bytes_.size(); }
  const std::string& name() const { return name_; }

  /// The bytes begin .. begin + length; fails when the file ends before, with `what` it should have had.
  std::string_view part(std::size_t begin, std::size_t length, const char* what) const {
    if (begin > bytes_.size() || bytes_.size() - begin < length)
      fail(bytes_.size(), std::string("the file ends before the end of ") + what);
    return bytes_.substr(begin, length);
  }

  template <class T>
  T little(std::size_t at, const char* what) const {
    return number<T>(part(at, sizeof(T), what).data(), std::endian::native != std::endian::little);
  }
  template <class T>
  T big(std::size_t at, const char* what) const {
    return number<T>(part(at, sizeof(T), what).data(), std::endian::native != std::endian::big);
  }

  [[noreturn]] void fail(std::size_t at, const std::string& text) const {
    throw Error(name_ + ": byte " + std::to_string(at) + ": " + text);
  }

  /// A number at `bytes`, which is aligned in no way.
  template <class T>
  static T number(const char* bytes, bool swapped) {
    T value;
    char turned[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) turned[i] = bytes[swapped ? sizeof(T) - 1 - i : i];
    std::memcpy(&value, turned, sizeof(T));
    return value;
  }

 private:
  std::string name_;
  std::string_view bytes_;
};

}  // namespace taihu::amg
