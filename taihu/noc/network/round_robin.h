// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

namespace taihu::noc {

/// First set bit of `bits` at or behind `start`, going around; `bits` is not zero.
inline int next_bit(std::uint64_t bits, int start) noexcept {
  const std::uint64_t behind = bits >> start << start;
  return std::countr_zero(behind != 0 ? behind : bits);
}

}  // namespace taihu::noc
