// SPDX-License-Identifier: Apache-2.0
// Reductions by the types and operations of Parallel C.
#include "taihu/collective/collectives.h"

namespace taihu::collective {

int reduce(GroupHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op,
           int root) {
  const auto reduction = find_reduction(type, op);
  if (!reduction || count < 0) return M_ERROR_ARGUMENT;
  return reduce(handle, source, result, static_cast<std::size_t>(count), *reduction, root);
}

int allreduce(GroupHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op) {
  const auto reduction = find_reduction(type, op);
  if (!reduction || count < 0) return M_ERROR_ARGUMENT;
  return allreduce(handle, source, result, static_cast<std::size_t>(count), *reduction);
}

int scan(GroupHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op) {
  const auto reduction = find_reduction(type, op);
  if (!reduction || count < 0) return M_ERROR_ARGUMENT;
  return scan(handle, source, result, static_cast<std::size_t>(count), *reduction);
}

}  // namespace taihu::collective
