// SPDX-License-Identifier: Apache-2.0
// gatherv, scatterv, allgatherv over all node processes of a group. Only the root of the first two knows the
// lengths of all, so members of other node processes deal with it directly.
#include <numeric>
#include <vector>

#include "taihu/collective/arguments.h"
#include "taihu/collective/board.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/kept_run.h"
#include "taihu/collective/leaders.h"
#include "taihu/collective/length_check.h"
#include "taihu/collective/shared_forms.h"

namespace taihu::collective {

namespace {

using schedule::Buffer;

// One message between the root and each member of another node process; blocks lie where the map says.
int run_remote_blocks(GroupHandle& handle, Call call, int code, const BlockMap& map, schedule::Action action,
                      ProgramBuffers buffers) {
  const Membership& membership = handle.membership();
  const Buffer buffer = action == schedule::Action::send ? Buffer::source : Buffer::result;
  return run_rewritten_among_all(handle, call, code, buffers, [&](schedule::Program& program) {
    for (int member = 0; member < handle.size(); ++member) {
      if (membership.process[static_cast<std::size_t>(member)] == membership.here) continue;
      const std::size_t bytes = map.bytes(member);  // none: an empty message all the same, to compare lengths
      const std::size_t offset = bytes == 0 ? 0 : static_cast<std::size_t>(map.offset(member));
      program.steps.push_back(
          {.action = action, .buffer = buffer, .peer = member, .offset = offset, .count = bytes});
    }
  });
}

// The same on the other side.
int run_own_block(GroupHandle& handle, Call call, schedule::Action action, int root, std::size_t bytes,
                  ProgramBuffers buffers) {
  const Buffer buffer = action == schedule::Action::send ? Buffer::source : Buffer::result;
  return run_kept_among_all(handle, {.call = call, .root = root, .count = bytes}, buffers, nullptr, [&] {
    schedule::Program program;
    program.steps.push_back({.action = action, .buffer = buffer, .peer = root, .count = bytes});
    return program;
  });
}

bool is_near(const Membership& membership, int root) {
  return membership.process[static_cast<std::size_t>(root)] == membership.here;
}

}  // namespace

int gatherv(GroupHandle& handle, const void* source, std::size_t bytes, void* result,
            const std::size_t* result_bytes, const std::ptrdiff_t* result_offsets, int root) {
  if (!is_member(handle, root) || !has_memory(source, bytes)) return M_ERROR_ARGUMENT;
  const bool is_root = handle.rank() == root;
  if (is_root && !has_blocks(result, result_bytes, result_offsets, handle.size())) return M_ERROR_ARGUMENT;
  const Membership& membership = handle.membership();
  const BlockMap map(result_bytes, result_offsets);
  if (handle.has_one_member())
    return give_itself(handle, "a gatherv", source, bytes, map.block(result, 0), map.bytes(0));
  if (handle.is_all_here()) return shared::gather(handle, Lengths::own, source, bytes, result, map, root);
  if (!is_near(membership, root)) {
    return run_own_block(handle, Call::gatherv, schedule::Action::send, root, bytes, {source, nullptr});
  }
  int code = M_SUCCESS;
  if (handle.local_members() == 1) {
    code = give_itself(handle, "a gatherv", source, bytes, map.block(result, root), map.bytes(root));
  } else {
    const BlockMap local = map.of_members(membership.local().data());
    code = shared::gather(handle, Lengths::own, source, bytes, result, local,
                          membership.local_index[static_cast<std::size_t>(root)]);
  }
  if (!is_root) return code;
  return first_error(code, run_remote_blocks(handle, Call::gatherv, M_SUCCESS, map, schedule::Action::receive,
                                             {nullptr, result}));
}

int scatterv(GroupHandle& handle, const void* source, const std::size_t* source_bytes,
             const std::ptrdiff_t* source_offsets, void* result, std::size_t bytes, int root) {
  if (!is_member(handle, root) || !has_memory(result, bytes)) return M_ERROR_ARGUMENT;
  const bool is_root = handle.rank() == root;
  if (is_root && !has_blocks(source, source_bytes, source_offsets, handle.size())) return M_ERROR_ARGUMENT;
  const Membership& membership = handle.membership();
  const BlockMap map(source_bytes, source_offsets);
  if (handle.has_one_member())
    return give_itself(handle, "a scatterv", map.block(source, 0), map.bytes(0), result, bytes);
  if (handle.is_all_here()) return shared::scatter(handle, Lengths::own, source, map, result, bytes, root);
  if (!is_near(membership, root)) {
    return run_own_block(handle, Call::scatterv, schedule::Action::receive, root, bytes, {nullptr, result});
  }
  int code = M_SUCCESS;
  if (is_root) {
    code =
        run_remote_blocks(handle, Call::scatterv, M_SUCCESS, map, schedule::Action::send, {source, nullptr});
  }
  if (handle.local_members() == 1)
    return first_error(
        code, give_itself(handle, "a scatterv", map.block(source, root), map.bytes(root), result, bytes));
  const BlockMap local = map.of_members(membership.local().data());
  return first_error(code, shared::scatter(handle, Lengths::own, source, local, result, bytes,
                                           membership.local_index[static_cast<std::size_t>(root)]));
}

int fail_scatterv(GroupHandle& handle, int code, const std::size_t* source_bytes,
                  const std::ptrdiff_t* source_offsets) {
  const BlockMap map(source_bytes, source_offsets);
  run_remote_blocks(handle, Call::scatterv, code, map, schedule::Action::send, {});
  const Membership& membership = handle.membership();
  shared::fail(handle, Call::scatterv, 0, membership.local_index[static_cast<std::size_t>(handle.rank())]);
  return code;
}

namespace {

// All blocks without gaps, in the order of node processes.
struct Packed {
  Packed(const Membership& membership, const std::size_t* bytes)
      : offsets(static_cast<std::size_t>(membership.members())) {
    std::size_t next = 0;
    for (const std::vector<int>& members : membership.members_of) {
      for (const int member : members) {
        offsets[static_cast<std::size_t>(member)] = static_cast<std::ptrdiff_t>(next);
        next += bytes[member];
      }
      blocks.starts.push_back(next);
    }
  }

  std::vector<std::ptrdiff_t> offsets;
  schedule::Blocks blocks;
};

void unpack(const std::byte* packed, const BlockMap& from, void* result, const BlockMap& to, int members) {
  for (int k = 0; k < members; ++k) copy_block(to.block(result, k), from.block(packed, k), to.bytes(k));
}

}  // namespace

int allgatherv(GroupHandle& handle, const void* source, std::size_t bytes, void* result,
               const std::size_t* result_bytes, const std::ptrdiff_t* result_offsets) {
  if (!has_memory(source, bytes) || !has_blocks(result, result_bytes, result_offsets, handle.size())) {
    return M_ERROR_ARGUMENT;
  }
  const Membership& membership = handle.membership();
  const BlockMap map(result_bytes, result_offsets);
  if (handle.has_one_member())
    return give_itself(handle, "an allgatherv", source, bytes, map.block(result, 0), map.bytes(0));
  if (handle.is_all_here()) return shared::allgather(handle, source, bytes, result, map);

  const Packed packed(membership, result_bytes);
  const BlockMap packed_map(result_bytes, packed.offsets.data());
  const BlockMap local = packed_map.of_members(membership.local().data());
  const std::size_t all_bytes = packed.blocks.total();
  Leaders leaders(handle);
  const auto take = [&](const std::byte* whole) { unpack(whole, packed_map, result, map, handle.size()); };
  if (!leaders.includes_me()) {
    const int code =
        shared::gather(handle, Lengths::own, source, bytes, nullptr, local, leaders.local_leader());
    return first_error(code, shared::share(handle, nullptr, all_bytes, leaders.local_leader(), take));
  }
  std::byte* whole = handle.stage().get(all_bytes);
  if (whole == nullptr) return M_ERROR_MEMORY;
  int code = shared::gather(handle, Lengths::own, source, bytes, whole, local, leaders.local_leader());
  const std::byte* block = whole + packed.blocks.start(membership.here);
  code = leaders.run(code, schedule::allgather_ring(leaders.place(), packed.blocks), {block, whole});
  if (code == M_SUCCESS)
    code = shared::share(handle, whole, all_bytes, leaders.local_leader(), take);
  else
    shared::fail(handle, Call::bcast, all_bytes, leaders.local_leader());
  handle.stage().trim();
  return code;
}

}  // namespace taihu::collective
