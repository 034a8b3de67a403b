// SPDX-License-Identifier: Apache-2.0
// The report of two members whose calls disagree on the length of one block.
#pragma once

#include <cstddef>
#include <string>

#include "taihu/collective/group.h"

namespace taihu::collective {

/// Leaves in the handle what `has_length` has found, or another who knows what was `expected`.
void tell_lengths(GroupHandle& handle, const char* call, int from, std::size_t sent, int to,
                  const std::string& expected);

/// Compares; when different, leaves the reason in the handle. `from` and `to` are local indices of the
/// members that send and receive the block in `call`.
[[gnu::always_inline]] inline bool has_length(GroupHandle& handle, const char* call, int from,
                                              std::size_t sent, int to, std::size_t expected) {
  if (sent == expected) [[likely]]
    return true;
  tell_lengths(handle, call, from, sent, to, std::to_string(expected));
  return false;
}

}  // namespace taihu::collective
