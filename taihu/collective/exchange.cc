// SPDX-License-Identifier: Apache-2.0
// alltoall and alltoallv over all node processes of a group: blocks for neighbours are copied from buffer to
// buffer, the others travel as messages from member to member.
#include <algorithm>
#include <vector>

#include "taihu/collective/arguments.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/leaders.h"
#include "taihu/collective/shared_forms.h"

namespace taihu::collective {

namespace {

/// So many exchanges of a member are under way together: enough to hide latency, few enough not to flood a
/// receiver.
constexpr int window = 8;
/// Below, blocks travel together in log2 n messages, where every member has a node process of its own.
constexpr std::size_t bruck_block_bytes = 256;
constexpr int bruck_members = 8;

schedule::Program remote_program(const GroupHandle& handle, const shared::BlockMap& source_map,
                                 const shared::BlockMap& result_map) {
  const Membership& membership = handle.membership();
  std::vector<schedule::Range> sources;
  std::vector<schedule::Range> results;
  for (int member = 0; member < handle.size(); ++member) {
    const bool is_remote = membership.process[static_cast<std::size_t>(member)] != membership.here;
    const auto range = [&](const shared::BlockMap& map) {
      if (!is_remote) return schedule::Range{};
      return schedule::Range{static_cast<std::size_t>(map.offset(member)), map.bytes(member)};
    };
    sources.push_back(range(source_map));
    results.push_back(range(result_map));
  }
  return schedule::alltoall_pairwise({handle.size(), handle.rank()}, sources, results, window);
}

int exchange(GroupHandle& handle, const void* source, const shared::BlockMap& source_map, void* result,
             const shared::BlockMap& result_map) {
  if (handle.membership().processes() == 1) {
    return shared::alltoall(handle, source, source_map, result, result_map, nullptr);
  }
  int code = M_SUCCESS;
  const auto remote = [&] {
    code = run_schedule(remote_program(handle, source_map, result_map), handle.endpoint(),
                        handle.state().context, handle.membership().ranks, {source, result},
                        handle.schedule_scratch());
  };
  const int local = shared::alltoall(handle, source, source_map, result, result_map, remote);
  return first_error(code, local);
}

bool is_valid(const void* buffer, const long* counts, const long* displacements, int members) {
  if (counts == nullptr || displacements == nullptr) return false;
  return std::all_of(counts, counts + members,
                     [&](long count) { return count == 0 || (count > 0 && buffer != nullptr); });
}

}  // namespace

int alltoall(GroupHandle& handle, const void* source, void* result, std::size_t bytes) {
  if (!is_possible_size(bytes, handle.size()) || !has_memory(source, bytes) || !has_memory(result, bytes)) {
    return M_ERROR_ARGUMENT;
  }
  const bool all_apart = handle.membership().processes() == handle.size();
  if (all_apart && handle.size() >= bruck_members && bytes <= bruck_block_bytes) {
    return run_schedule(schedule::alltoall_bruck({handle.size(), handle.rank()}, bytes), handle.endpoint(),
                        handle.state().context, handle.membership().ranks, {source, result},
                        handle.schedule_scratch());
  }
  const shared::BlockMap blocks{.block_bytes = bytes};
  return exchange(handle, source, blocks, result, blocks);
}

int alltoallv(GroupHandle& handle, const void* source, const long* source_counts,
              const long* source_displacements, void* result, const long* result_counts,
              const long* result_displacements, std::size_t element_bytes) {
  if (!is_valid(source, source_counts, source_displacements, handle.size()) ||
      !is_valid(result, result_counts, result_displacements, handle.size())) {
    return M_ERROR_ARGUMENT;
  }
  const shared::BlockMap source_map{0, source_counts, source_displacements, element_bytes};
  const shared::BlockMap result_map{0, result_counts, result_displacements, element_bytes};
  return exchange(handle, source, source_map, result, result_map);
}

}  // namespace taihu::collective
