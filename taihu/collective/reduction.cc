// SPDX-License-Identifier: Apache-2.0
// reduce, allreduce, scan, exscan over all node processes of a group.
#include "taihu/collective/arguments.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/kept_run.h"
#include "taihu/collective/leaders.h"
#include "taihu/collective/shared_forms.h"

namespace taihu::collective {

int reduce(GroupHandle& handle, const void* source, void* result, std::size_t count,
           const Reduction& reduction, int root) {
  if (!is_reducible(source, count, reduction) || !is_member(handle, root)) return M_ERROR_ARGUMENT;
  const bool is_root = handle.rank() == root;
  if (is_root && !has_memory(result, count)) return M_ERROR_ARGUMENT;
  if (handle.has_one_member()) return give_itself(result, source, count * reduction.element_bytes);
  if (handle.is_all_here()) {
    return count == 0 ? shared::move_nothing(handle, Call::reduce, root)
                      : shared::reduce(handle, source, result, count, reduction, root);
  }
  const std::size_t bytes = count * reduction.element_bytes;
  if (!may_reduce_by_process(handle, reduction)) {
    constexpr auto ordered = schedule::Operands::ordered;
    return run_among_all(handle, schedule::reduce_binomial(place_among_all(handle), count, root, ordered),
                         {source, is_root ? result : nullptr}, &reduction);
  }
  Leaders leaders(handle, root);
  // Who is alone in its node process has nothing to combine first, and leaves its data where they are.
  if (handle.local_members() == 1)
    return leaders.reduce(M_SUCCESS, source, is_root ? result : nullptr, count, reduction);
  if (!leaders.includes_me()) {
    return shared::reduce(handle, source, nullptr, count, reduction, leaders.local_leader());
  }
  void* partial = is_root ? result : handle.stage().get(bytes);
  if (partial == nullptr && bytes != 0) return M_ERROR_MEMORY;
  int code = shared::reduce(handle, source, partial, count, reduction, leaders.local_leader());
  code = leaders.reduce(code, partial, is_root ? result : nullptr, count, reduction);
  handle.stage().trim();
  return code;
}

int allreduce(GroupHandle& handle, const void* source, void* result, std::size_t count,
              const Reduction& reduction) {
  if (!is_reducible(source, count, reduction) || !has_memory(result, count)) return M_ERROR_ARGUMENT;
  if (handle.has_one_member()) return give_itself(result, source, count * reduction.element_bytes);
  if (handle.is_all_here()) return shared::allreduce(handle, source, result, count, reduction);
  const std::size_t bytes = count * reduction.element_bytes;
  if (!may_reduce_by_process(handle, reduction)) {
    return run_among_all(handle, schedule::allreduce_recursive_doubling(place_among_all(handle), count),
                         {source, result}, &reduction);
  }
  Leaders leaders(handle);
  if (handle.local_members() == 1) return leaders.allreduce(M_SUCCESS, source, result, count, reduction);
  int code = shared::reduce(handle, source, result, count, reduction, leaders.local_leader());
  if (leaders.includes_me()) code = leaders.allreduce(code, result, result, count, reduction);
  return leaders.hand_out(code, result, bytes);
}

int scan(GroupHandle& handle, const void* source, void* result, std::size_t count,
         const Reduction& reduction) {
  if (!is_reducible(source, count, reduction) || !has_memory(result, count)) return M_ERROR_ARGUMENT;
  if (handle.has_one_member()) return give_itself(result, source, count * reduction.element_bytes);
  if (handle.is_all_here()) {
    return count == 0 ? shared::move_nothing(handle, Call::scan)
                      : shared::scan(handle, source, result, count, reduction);
  }
  return run_kept_among_all(
      handle, {.call = Call::scan, .count = count, .unit_bytes = reduction.element_bytes}, {source, result},
      &reduction, [&] { return schedule::scan_recursive_doubling(place_among_all(handle), count); });
}

int exscan(GroupHandle& handle, const void* source, void* result, std::size_t count,
           const Reduction& reduction) {
  const bool is_first = handle.rank() == 0;
  if (!is_reducible(source, count, reduction) || !(is_first || has_memory(result, count)))
    return M_ERROR_ARGUMENT;
  if (handle.has_one_member()) return M_SUCCESS;
  if (handle.is_all_here()) {
    return count == 0 ? shared::move_nothing(handle, Call::exscan)
                      : shared::exscan(handle, source, result, count, reduction);
  }
  return run_kept_among_all(
      handle, {.call = Call::exscan, .count = count, .unit_bytes = reduction.element_bytes}, {source, result},
      &reduction, [&] { return schedule::exscan_recursive_doubling(place_among_all(handle), count); });
}

}  // namespace taihu::collective
