// SPDX-License-Identifier: Apache-2.0
// The report of two members whose calls disagree on the length of one block.
#pragma once

#include <cstddef>
#include <string>

#include "taihu/abi/parallelc.h"
#include "taihu/collective/copy.h"
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

/// What a member that is alone here sends itself in `call`.
inline int give_itself(GroupHandle& handle, const char* call, const void* source, std::size_t source_bytes,
                       void* result, std::size_t result_bytes) {
  if (!has_length(handle, call, 0, source_bytes, 0, result_bytes)) return M_ERROR_TRUNCATE;
  copy_block(result, source, source_bytes);
  return M_SUCCESS;
}

}  // namespace taihu::collective
