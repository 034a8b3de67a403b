// SPDX-License-Identifier: Apache-2.0
// Checks of arguments that every collective makes before anything is sent.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "taihu/abi/parallelc.h"
#include "taihu/collective/block_map.h"
#include "taihu/collective/copy.h"
#include "taihu/collective/group.h"
#include "taihu/collective/operations.h"

namespace taihu::collective {

inline constexpr std::size_t most_bytes = std::numeric_limits<std::ptrdiff_t>::max();

inline bool is_member(const GroupHandle& handle, int member) noexcept {
  return member >= 0 && member < handle.size();
}

inline bool has_memory(const void* buffer, std::size_t bytes) noexcept {
  return bytes == 0 || buffer != nullptr;
}

/// Do `blocks` blocks of `bytes` fit into an address space?
inline bool is_possible_size(std::size_t bytes, int blocks) noexcept {
  std::size_t all;
  return !__builtin_mul_overflow(bytes, static_cast<std::size_t>(blocks), &all) && all <= most_bytes;
}

/// Is there memory for each block of an own length?
inline bool has_blocks(const void* buffer, const std::size_t* bytes, const std::ptrdiff_t* offsets,
                       int members) noexcept {
  if (bytes == nullptr || offsets == nullptr) return false;
  std::size_t all = 0;
  for (int k = 0; k < members; ++k) {
    if (bytes[k] > most_bytes - all) return false;
    all += bytes[k];
  }
  return has_memory(buffer, all);
}

/// A collective of the only member of a group: what it sends is what it gets.
inline int give_itself(void* result, const void* source, std::size_t bytes) noexcept {
  copy_block(result, source, bytes);
  return M_SUCCESS;
}

/// Is the reduction possible for `count` elements at `source`?
inline bool is_reducible(const void* source, std::size_t count, const Reduction& reduction) noexcept {
  std::size_t bytes;
  return reduction.combine != nullptr && reduction.element_bytes != 0 &&
         !__builtin_mul_overflow(count, reduction.element_bytes, &bytes) && bytes <= most_bytes &&
         has_memory(source, count);
}

/// Counts and displacements of elements as bytes.
struct ElementBlocks {
  /// False when a count is negative or too large.
  bool set(const long* counts, const long* displacements, int members, std::size_t element_bytes) {
    if (counts == nullptr || displacements == nullptr) return false;
    for (int k = 0; k < members; ++k) {
      const auto count = static_cast<std::size_t>(counts[k]);
      if (counts[k] < 0 || (element_bytes != 0 && count > most_bytes / element_bytes)) return false;
      bytes.push_back(count * element_bytes);
      offsets.push_back(displacements[k] * static_cast<std::ptrdiff_t>(element_bytes));
    }
    return true;
  }

  std::vector<std::size_t> bytes;
  std::vector<std::ptrdiff_t> offsets;
};

}  // namespace taihu::collective
