// SPDX-License-Identifier: Apache-2.0
// Collectives of the language: argument checks in front of collective/. CCC_ARRAY is valid for the barrier
// only.
#include "taihu/collective/collectives.h"

#include <limits>

#include "taihu/abi/parallelc.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/process.h"

namespace taihu::parallelc {
namespace {

/// Runs `body(group)` when the arguments hold; `root` is 0 where the call has none.
template <class Body>
int collective_call(const char* call, m_scope_t scope, long count, m_type_t type, int root, Body&& body) {
  Process& process = this_process(call);
  const auto refuse = [&](int code, const char* reason) {
    return fail(code, reason, "%s(scope=%d, count=%ld, type=%d, root=%d)", call, scope, count, type, root);
  };
  if (threads::current_member() != nullptr)
    return refuse(M_ERROR_CONTEXT, "called in a kernel; only processes take part");
  if (scope < CCC_ALL || scope > CCC_NODE) return refuse(M_ERROR_ARGUMENT, "not a process scope");
  if (count < 0) return refuse(M_ERROR_ARGUMENT, "negative count");
  if (root < 0 || root >= m_size(scope)) return refuse(M_ERROR_ARGUMENT, "no such root");
  const std::size_t bytes = collective::type_bytes(type);
  if (bytes == 0) return refuse(M_ERROR_ARGUMENT, "no such type");
  const auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (static_cast<std::size_t>(count) > most / bytes / static_cast<std::size_t>(m_size(scope)))
    return refuse(M_ERROR_ARGUMENT, "the count is too large for any memory");
  collective::GroupHandle& group = process.group(scope);
  const int code = body(group);
  if (code == M_SUCCESS) return code;
  if (!group.problem().empty()) return refuse(code, group.problem().c_str());
  return refuse(code, code == M_ERROR_ARGUMENT ? "null buffer or negative count" : m_error_text(code));
}

int reduction_call(const char* call, m_scope_t scope, long count, m_type_t type, m_op_t op, int root,
                   auto&& body) {
  if (!collective::find_reduction(type, op)) {
    return fail(M_ERROR_ARGUMENT, "the operation has no meaning for the type",
                "%s(scope=%d, count=%ld, type=%d, op=%d)", call, scope, count, type, op);
  }
  return collective_call(call, scope, count, type, root, body);
}

std::size_t bytes_of(long count, m_type_t type) {
  return static_cast<std::size_t>(count) * collective::type_bytes(type);
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;
namespace collective = taihu::collective;
using Group = collective::GroupHandle;

extern "C" {

int m_barrier(m_scope_t scope) {
  if (scope == CCC_ARRAY) {
    const taihu::threads::Member* member = taihu::threads::current_member();
    if (member == nullptr) {
      return fail(M_ERROR_CONTEXT,
                  "called outside a kernel; the members of CCC_ARRAY are the accelerator threads",
                  "m_barrier(CCC_ARRAY)");
    }
    member->array->barrier().wait();
    return M_SUCCESS;
  }
  return collective_call("m_barrier", scope, 0, M_CHAR, 0,
                         [](Group& group) { return collective::barrier(group); });
}

int m_bcast(m_scope_t scope, void* buffer, long count, m_type_t type, int root) {
  return collective_call("m_bcast", scope, count, type, root, [&](Group& group) {
    return collective::bcast(group, buffer, bytes_of(count, type), root);
  });
}

int m_reduce(m_scope_t scope, const void* source, void* result, long count, m_type_t type, m_op_t op,
             int root) {
  return reduction_call("m_reduce", scope, count, type, op, root, [&](Group& group) {
    return collective::reduce(group, source, result, count, type, op, root);
  });
}

int m_allreduce(m_scope_t scope, const void* source, void* result, long count, m_type_t type, m_op_t op) {
  return reduction_call("m_allreduce", scope, count, type, op, 0, [&](Group& group) {
    return collective::allreduce(group, source, result, count, type, op);
  });
}

int m_scan(m_scope_t scope, const void* source, void* result, long count, m_type_t type, m_op_t op) {
  return reduction_call("m_scan", scope, count, type, op, 0, [&](Group& group) {
    return collective::scan(group, source, result, count, type, op);
  });
}

int m_gather(m_scope_t scope, const void* source, void* result, long count, m_type_t type, int root) {
  return collective_call("m_gather", scope, count, type, root, [&](Group& group) {
    return collective::gather(group, source, result, bytes_of(count, type), root);
  });
}

int m_allgather(m_scope_t scope, const void* source, void* result, long count, m_type_t type) {
  return collective_call("m_allgather", scope, count, type, 0, [&](Group& group) {
    return collective::allgather(group, source, result, bytes_of(count, type));
  });
}

int m_scatter(m_scope_t scope, const void* source, void* result, long count, m_type_t type, int root) {
  return collective_call("m_scatter", scope, count, type, root, [&](Group& group) {
    return collective::scatter(group, source, result, bytes_of(count, type), root);
  });
}

int m_alltoall(m_scope_t scope, const void* source, void* result, long count, m_type_t type) {
  return collective_call("m_alltoall", scope, count, type, 0, [&](Group& group) {
    return collective::alltoall(group, source, result, bytes_of(count, type));
  });
}

int m_alltoallv(m_scope_t scope, const void* source, const long* source_counts,
                const long* source_displacements, void* result, const long* result_counts,
                const long* result_displacements, m_type_t type) {
  return collective_call("m_alltoallv", scope, 0, type, 0, [&](Group& group) {
    return collective::alltoallv(group, source, source_counts, source_displacements, result, result_counts,
                                 result_displacements, collective::type_bytes(type));
  });
}

}  // extern "C"
