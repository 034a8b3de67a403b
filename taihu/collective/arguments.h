// SPDX-License-Identifier: Apache-2.0
// Checks of arguments that every collective makes before anything is sent.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "taihu/collective/group.h"
#include "taihu/collective/operations.h"

namespace taihu::collective {

inline bool is_member(const GroupHandle& handle, int member) noexcept {
  return member >= 0 && member < handle.size();
}

inline bool has_memory(const void* buffer, std::size_t bytes) noexcept {
  return bytes == 0 || buffer != nullptr;
}

/// Do `blocks` blocks of `bytes` fit into an address space?
inline bool is_possible_size(std::size_t bytes, int blocks) noexcept {
  return bytes <= static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) /
                      static_cast<std::size_t>(blocks);
}

/// The reduction when it is valid for `count` elements at `source`.
inline std::optional<Reduction> checked_reduction(const void* source, long count, m_type_t type,
                                                  m_op_t op) noexcept {
  const std::optional<Reduction> reduction = find_reduction(type, op);
  if (!reduction || count < 0) return std::nullopt;
  const long most = std::numeric_limits<std::ptrdiff_t>::max() / static_cast<long>(reduction->element_bytes);
  if (count > most || !has_memory(source, static_cast<std::size_t>(count))) return std::nullopt;
  return reduction;
}

}  // namespace taihu::collective
