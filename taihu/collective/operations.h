// SPDX-License-Identifier: Apache-2.0
// What reductions do to elements: the operation of a reduction, and the built-in ones, one kernel per pair of
// type and operation, in one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "taihu/abi/parallelc.h"

namespace taihu::collective {

/// target[k] = left[k] (op) right[k] for k < count; `left` comes from the lower members. Three arrays of
/// `count` elements. `target` is apart from both others or is exactly `right`; it is never `left`, and no
/// arrays overlap in part. What is not `target` is only read: it may be another member's buffer. Arrays lie
/// in users' buffers at whole elements, or in intermediate memory at a multiple of 16 bytes plus whole
/// elements. Runs on the threads of any members at the same time, each with the `context` of its own call;
/// an array may be cut into several calls at any element.
using Combine = void (*)(void* target, const void* left, const void* right, std::size_t count,
                         const void* context);

/// An associative operation (floating point up to rounding) on elements of one length. Members of one call
/// pass reductions that mean the same; each member's own one is used on its thread.
struct Reduction {
  Combine combine = nullptr;
  std::size_t element_bytes = 0;  ///< > 0; elements lie one behind the other
  /// Equal for equal type and operation, to recognise calls that do not fit together; 0 fits to every code.
  std::uint32_t code = 0;
  /// If not, operands are combined strictly in the order of members, however these are placed.
  bool commutative = true;
  const void* context = nullptr;  ///< handed to `combine`

  void operator()(void* target, const void* left, const void* right, std::size_t count) const {
    combine(target, left, right, count, context);
  }
};

/// Bytes of one element; 0 when `type` is not a type.
std::size_t type_bytes(m_type_t type) noexcept;

/// Nothing when `op` has no meaning for `type`: M_AND, M_OR, M_XOR need integers, M_MINLOC and M_MAXLOC need
/// pairs, the others need numbers. With equal values M_MINLOC and M_MAXLOC give the lower index. Signed
/// integers wrap around. `target` of these kernels may also be `left`.
std::optional<Reduction> find_reduction(m_type_t type, m_op_t op) noexcept;

/// What a code of find_reduction stands for, for reports.
std::string reduction_text(std::uint32_t code);

}  // namespace taihu::collective
