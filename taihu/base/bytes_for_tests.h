// SPDX-License-Identifier: Apache-2.0
// Bytes that tests compare. std::equal, and == of std::vector<std::byte>, take one after the other, and tests
// are compiled without optimisation under a sanitizer: a megabyte takes a tenth of a second there, and
// memcmp() a hundredth of that. The sanitizers look at the arguments of memcmp() and memcpy() as they do at
// other accesses.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace taihu {

inline bool same_bytes(const std::byte* a, const std::byte* b, std::size_t bytes) {
  return bytes == 0 || std::memcmp(a, b, bytes) == 0;
}

/// A vector of bytes that is compared in one go.
struct Bytes : std::vector<std::byte> {
  using std::vector<std::byte>::vector;

  friend bool operator==(const Bytes& a, const Bytes& b) {
    return a.size() == b.size() && same_bytes(a.data(), b.data(), a.size());
  }
};

}  // namespace taihu
