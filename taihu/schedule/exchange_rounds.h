// SPDX-License-Identifier: Apache-2.0
// Two small things that all files on exchanges need.
#pragma once

#include <cstddef>

namespace taihu::schedule {

/// A member, a position or a node as an index.
constexpr std::size_t index(int number) noexcept {
  return static_cast<std::size_t>(number);
}

/// Rounds of `exchanges` when `window` of them make one.
constexpr int rounds_of(int exchanges, int window) noexcept {
  return (exchanges + window - 1) / window;
}

}  // namespace taihu::schedule
