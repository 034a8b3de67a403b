// SPDX-License-Identifier: Apache-2.0
// The report of two members whose calls disagree on the length of one block.
#pragma once

#include <cstddef>

#include "taihu/collective/group.h"

namespace taihu::collective {

/// Compares; when different, leaves the reason in the handle. `from` and `to` are local indices of the
/// members that send and receive the block in `call`.
inline bool has_length(GroupHandle& handle, const char* call, int from, std::size_t sent, int to,
                       std::size_t expected) {
  if (sent == expected) return true;
  const auto rank = [&](int local) {
    return std::to_string(handle.global_rank(handle.membership().local()[static_cast<std::size_t>(local)]));
  };
  handle.set_problem("rank " + rank(from) + " sends " + std::to_string(sent) + " bytes in " + call +
                     " to rank " + rank(to) + ", which expects " + std::to_string(expected) +
                     "; the counts of both must agree");
  return false;
}

}  // namespace taihu::collective
