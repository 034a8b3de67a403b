// SPDX-License-Identifier: Apache-2.0
// Contents of the buffers of members, an operation on them, and members in a random order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include "taihu/base/random.h"

namespace taihu::schedule {

using Bytes = std::vector<std::byte>;

/// Adds each byte of `operand` to that of `target`, modulo 256.
inline void add(std::byte* target, const std::byte* operand, std::size_t bytes) {
  for (std::size_t k = 0; k < bytes; ++k)
    target[k] = static_cast<std::byte>(std::to_integer<int>(target[k]) + std::to_integer<int>(operand[k]));
}

inline Bytes random_bytes(Random& random, std::size_t count) {
  Bytes bytes(count);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

inline Bytes slice(const Bytes& bytes, std::size_t start, std::size_t count) {
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(start);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

/// 0 ... members - 1 in a random order.
inline std::vector<int> shuffled(int members, Random& random) {
  std::vector<int> order(static_cast<std::size_t>(members));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[random.below(k)]);
  return order;
}

}  // namespace taihu::schedule
