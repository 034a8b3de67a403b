// SPDX-License-Identifier: Apache-2.0
// Collectives of the language: argument checks in front of collective/. Members of CCC_ARRAY are the
// accelerator threads; of the other scopes a process is one member, whichever of its threads calls.
#include "taihu/collective/collectives.h"

#include <atomic>
#include <limits>

#include "taihu/abi/parallelc.h"
#include "taihu/collective/thread_collectives.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/process.h"

namespace taihu::parallelc {
namespace {

constexpr const char* outside_kernel =
    "called outside a kernel; the members of CCC_ARRAY are the accelerator threads";

/// While it lives, no other thread of the process is in a collective of the scope. Process code does not ask
/// while no kernel runs: it is alone then.
class OneOfProcess {
 public:
  OneOfProcess(Process& process, m_scope_t scope) noexcept {
    if (kernel_member(process) == nullptr && (process.is_autonomic || process.array->running() == 0)) return;
    flag_ = &process.in_collective[scope];
    is_first_ = !flag_->exchange(true, std::memory_order_acquire);
  }
  ~OneOfProcess() {
    if (flag_ != nullptr && is_first_) flag_->store(false, std::memory_order_release);
  }
  OneOfProcess(const OneOfProcess&) = delete;
  OneOfProcess& operator=(const OneOfProcess&) = delete;

  bool is_alone() const noexcept { return is_first_; }

 private:
  std::atomic<bool>* flag_ = nullptr;
  bool is_first_ = true;
};

/// Runs `body(group)`, with the part of the calling process or accelerator thread in the scope, when the
/// arguments hold; `root` is 0 where the call has none.
template <class Body>
int collective_call(const char* call, m_scope_t scope, long count, m_type_t type, int root, Body&& body) {
  Process& process = this_process(call);
  const auto refuse = [&](int code, const char* reason) {
    return fail(code, reason, "%s(scope=%d, count=%ld, type=%d, root=%d)", call, scope, count, type, root);
  };
  if (scope < CCC_ALL || scope > CCC_ARRAY) return refuse(M_ERROR_ARGUMENT, "no such scope");
  const threads::Member* member = threads::current_member();
  if (scope == CCC_ARRAY && member == nullptr) return refuse(M_ERROR_CONTEXT, outside_kernel);
  if (count < 0) return refuse(M_ERROR_ARGUMENT, "negative count");
  if (root < 0 || root >= m_size(scope)) return refuse(M_ERROR_ARGUMENT, "no such root");
  const std::size_t bytes = collective::type_bytes(type);
  if (bytes == 0) return refuse(M_ERROR_ARGUMENT, "no such type");
  const auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (static_cast<std::size_t>(count) > most / bytes / static_cast<std::size_t>(m_size(scope)))
    return refuse(M_ERROR_ARGUMENT, "the count is too large for any memory");
  const auto run = [&](auto& group) {
    const int code = body(group);
    if (code == M_SUCCESS) return code;
    if (!group.problem().empty()) return refuse(code, group.problem().c_str());
    return refuse(code, code == M_ERROR_ARGUMENT ? "null buffer or negative count" : m_error_text(code));
  };
  const CountedCall counted(process, call, count * static_cast<long>(bytes));
  if (scope == CCC_ARRAY) {
    const Waiting waiting(process, call, [] { return "for the other threads of CCC_ARRAY"; });
    time_meeting();
    collective::ThreadHandle group(*process.thread_group, member->index);
    return run(group);
  }
  const OneOfProcess caller(process, scope);
  if (!caller.is_alone()) {
    return refuse(
        M_ERROR_CONTEXT,
        "another thread of this process is in a collective of the scope; one thread of each process "
        "takes part");
  }
  const Waiting waiting(process, call,
                        [&] { return std::string("for the other processes of ") + name_of(scope); });
  return run(process.group(scope));
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

extern "C" {

int m_barrier(m_scope_t scope) {
  if (scope == CCC_ARRAY) {
    const taihu::threads::Member* member = taihu::threads::current_member();
    if (member == nullptr) {
      return fail(M_ERROR_CONTEXT, outside_kernel, "m_barrier(CCC_ARRAY)");
    }
    const CountedCall counted(this_process("m_barrier"), "m_barrier");
    const Waiting waiting(this_process("m_barrier"), "m_barrier",
                          [] { return "for the other threads of CCC_ARRAY"; });
    time_meeting();
    member->array->barrier().wait();
    return M_SUCCESS;
  }
  return collective_call("m_barrier", scope, 0, M_CHAR, 0,
                         [](auto& group) { return collective::barrier(group); });
}

int m_bcast(m_scope_t scope, void* buffer, long count, m_type_t type, int root) {
  return collective_call("m_bcast", scope, count, type, root, [&](auto& group) {
    return collective::bcast(group, buffer, bytes_of(count, type), root);
  });
}

int m_reduce(m_scope_t scope, const void* source, void* result, long count, m_type_t type, m_op_t op,
             int root) {
  return reduction_call("m_reduce", scope, count, type, op, root, [&](auto& group) {
    return collective::reduce(group, source, result, count, type, op, root);
  });
}

int m_allreduce(m_scope_t scope, const void* source, void* result, long count, m_type_t type, m_op_t op) {
  return reduction_call("m_allreduce", scope, count, type, op, 0, [&](auto& group) {
    return collective::allreduce(group, source, result, count, type, op);
  });
}

int m_scan(m_scope_t scope, const void* source, void* result, long count, m_type_t type, m_op_t op) {
  return reduction_call("m_scan", scope, count, type, op, 0, [&](auto& group) {
    return collective::scan(group, source, result, count, type, op);
  });
}

int m_gather(m_scope_t scope, const void* source, void* result, long count, m_type_t type, int root) {
  return collective_call("m_gather", scope, count, type, root, [&](auto& group) {
    return collective::gather(group, source, result, bytes_of(count, type), root);
  });
}

int m_allgather(m_scope_t scope, const void* source, void* result, long count, m_type_t type) {
  return collective_call("m_allgather", scope, count, type, 0, [&](auto& group) {
    return collective::allgather(group, source, result, bytes_of(count, type));
  });
}

int m_scatter(m_scope_t scope, const void* source, void* result, long count, m_type_t type, int root) {
  return collective_call("m_scatter", scope, count, type, root, [&](auto& group) {
    return collective::scatter(group, source, result, bytes_of(count, type), root);
  });
}

int m_alltoall(m_scope_t scope, const void* source, void* result, long count, m_type_t type) {
  return collective_call("m_alltoall", scope, count, type, 0, [&](auto& group) {
    return collective::alltoall(group, source, result, bytes_of(count, type));
  });
}

int m_alltoallv(m_scope_t scope, const void* source, const long* source_counts,
                const long* source_displacements, void* result, const long* result_counts,
                const long* result_displacements, m_type_t type) {
  long sent = 0;
  for (int i = 0; calls_wanted && source_counts != nullptr && i < m_size(scope); ++i)
    sent += source_counts[i];
  const CountedCall counted(this_process("m_alltoallv"), "m_alltoallv",
                            sent > 0 ? static_cast<long>(bytes_of(sent, type)) : 0);
  return collective_call("m_alltoallv", scope, 0, type, 0, [&](auto& group) {
    return collective::alltoallv(group, source, source_counts, source_displacements, result, result_counts,
                                 result_displacements, collective::type_bytes(type));
  });
}

}  // extern "C"
