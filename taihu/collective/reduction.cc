// SPDX-License-Identifier: Apache-2.0
// reduce, allreduce, scan over all node processes of a group.
#include "taihu/collective/arguments.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/leaders.h"
#include "taihu/collective/shared_forms.h"

namespace taihu::collective {

namespace {

/// From here on the ring's two passes over the buffer beat log2 n passes.
constexpr std::size_t long_allreduce_bytes = 65536;

schedule::Program allreduce_program(schedule::Place place, std::size_t bytes, std::size_t element_bytes) {
  if (bytes < long_allreduce_bytes || place.members < 3)
    return schedule::allreduce_recursive_doubling(place, bytes);
  return schedule::allreduce_ring(place, bytes, element_bytes);
}

}  // namespace

int reduce(GroupHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op,
           int root) {
  const std::optional<Reduction> reduction = checked_reduction(source, count, type, op);
  if (!reduction || !is_member(handle, root)) return M_ERROR_ARGUMENT;
  const auto elements = static_cast<std::size_t>(count);
  const bool is_root = handle.rank() == root;
  if (is_root && !has_memory(result, elements)) return M_ERROR_ARGUMENT;
  if (handle.membership().processes() == 1)
    return shared::reduce(handle, source, result, elements, *reduction, root);
  Leaders leaders(handle, root);
  if (!leaders.includes_me()) {
    return shared::reduce(handle, source, nullptr, elements, *reduction, leaders.local_leader());
  }
  const std::size_t bytes = elements * reduction->element_bytes;
  void* partial = is_root ? result : handle.stage().get(bytes);
  if (partial == nullptr && bytes != 0) return M_ERROR_MEMORY;
  int code = shared::reduce(handle, source, partial, elements, *reduction, leaders.local_leader());
  const schedule::Program program =
      schedule::reduce_binomial(leaders.place(), bytes, leaders.root_process(), schedule::Operands::ordered);
  code = first_error(code, leaders.run(program, {partial, is_root ? result : nullptr}, *reduction));
  handle.stage().trim();
  return code;
}

int allreduce(GroupHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op) {
  const std::optional<Reduction> reduction = checked_reduction(source, count, type, op);
  if (!reduction) return M_ERROR_ARGUMENT;
  const auto elements = static_cast<std::size_t>(count);
  if (!has_memory(result, elements)) return M_ERROR_ARGUMENT;
  if (handle.membership().processes() == 1)
    return shared::allreduce(handle, source, result, elements, *reduction);

  Leaders leaders(handle);
  const std::size_t bytes = elements * reduction->element_bytes;
  int code = shared::reduce(handle, source, result, elements, *reduction, leaders.local_leader());
  if (leaders.includes_me()) {
    const schedule::Program program = allreduce_program(leaders.place(), bytes, reduction->element_bytes);
    code = first_error(code, leaders.run(program, {result, result}, *reduction));
  }
  return first_error(code, shared::bcast(handle, result, bytes, leaders.local_leader(), nullptr));
}

int scan(GroupHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op) {
  const std::optional<Reduction> reduction = checked_reduction(source, count, type, op);
  if (!reduction) return M_ERROR_ARGUMENT;
  const auto elements = static_cast<std::size_t>(count);
  if (!has_memory(result, elements)) return M_ERROR_ARGUMENT;
  if (handle.membership().processes() == 1) return shared::scan(handle, source, result, elements, *reduction);
  const schedule::Place place{handle.size(), handle.rank()};
  return run_schedule(schedule::scan_recursive_doubling(place, elements * reduction->element_bytes),
                      handle.endpoint(), handle.state().context, handle.membership().ranks, {source, result},
                      handle.schedule_scratch(), *reduction);
}

}  // namespace taihu::collective
