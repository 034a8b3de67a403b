// SPDX-License-Identifier: Apache-2.0
// What reductions do to elements: one kernel per pair of type and operation, in one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "taihu/abi/parallelc.h"

namespace taihu::collective {

/// target[k] = left[k] (op) right[k] for k < count. `target` may be the same array as `left`, `right` or
/// both; other overlaps are not allowed. Signed integers wrap around.
using Combine = void (*)(void* target, const void* left, const void* right, std::size_t count);

/// A commutative and associative operation (floating point up to rounding) on elements of one type.
struct Reduction {
  Combine combine = nullptr;
  std::size_t element_bytes = 0;
  std::uint32_t code =
      0;  ///< equal for equal type and operation, to recognise calls that do not fit together
};

/// Bytes of one element; 0 when `type` is not a type.
std::size_t type_bytes(m_type_t type) noexcept;

/// Nothing when `op` has no meaning for `type`: M_AND, M_OR, M_XOR need integers, M_MINLOC and M_MAXLOC need
/// pairs, the others need numbers. With equal values M_MINLOC and M_MAXLOC give the lower index.
std::optional<Reduction> find_reduction(m_type_t type, m_op_t op) noexcept;

}  // namespace taihu::collective
