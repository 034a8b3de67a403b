// SPDX-License-Identifier: Apache-2.0
// barrier, bcast, gather, allgather, scatter over all node processes of a group.
#include "taihu/collective/arguments.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/copy.h"
#include "taihu/collective/leaders.h"
#include "taihu/collective/shared_forms.h"

namespace taihu::collective {

int barrier(GroupHandle& handle) {
  if (handle.has_one_member()) return M_SUCCESS;
  if (handle.is_all_here()) return shared::barrier(handle);
  int code = shared::collect(handle);
  Leaders leaders(handle);
  if (leaders.includes_me()) code = leaders.barrier(code);
  return first_error(code, shared::release(handle));
}

int bcast(GroupHandle& handle, void* buffer, std::size_t bytes, int root) {
  if (!is_member(handle, root) || !has_memory(buffer, bytes)) return M_ERROR_ARGUMENT;
  if (handle.has_one_member()) return M_SUCCESS;
  if (handle.is_all_here()) {
    return bytes == 0 ? shared::move_nothing(handle, Call::bcast, root)
                      : shared::bcast(handle, buffer, bytes, root, nullptr);
  }
  Leaders leaders(handle, root);
  int code = M_SUCCESS;
  const auto between_processes = [&] { code = leaders.bcast(buffer, bytes); };
  if (handle.rank() == root) {  // neighbours copy while the messages are on their way
    const int local = shared::bcast(handle, buffer, bytes, leaders.local_leader(), between_processes);
    return first_error(code, local);
  }
  if (leaders.includes_me()) between_processes();
  return leaders.hand_out(code, buffer, bytes);
}

int gather(GroupHandle& handle, const void* source, void* result, std::size_t bytes, int root) {
  const Membership& membership = handle.membership();
  const BlockMap blocks_map(bytes);
  if (!is_member(handle, root) || !is_possible_size(bytes, handle.size()) || !has_memory(source, bytes) ||
      (handle.rank() == root && !has_memory(result, bytes))) {
    return M_ERROR_ARGUMENT;
  }
  if (handle.has_one_member()) return give_itself(result, source, bytes);
  if (handle.is_all_here()) {
    return bytes == 0 ? shared::move_nothing(handle, Call::gather, root)
                      : shared::gather(handle, Lengths::equal, source, bytes, result, blocks_map, root);
  }
  Leaders leaders(handle, root);
  if (!leaders.includes_me())
    return shared::gather(handle, Lengths::equal, source, bytes, nullptr, blocks_map, leaders.local_leader());

  const bool is_root = handle.rank() == root;
  // Who is alone in its node process has nothing to collect.
  if (handle.local_members() == 1 && membership.consecutive)
    return leaders.gather(M_SUCCESS, source, is_root ? result : nullptr, bytes);
  // The root's neighbours write straight to their places; other leaders collect their block of the whole
  // first.
  const schedule::Blocks blocks = leaders.blocks(bytes);
  void* whole = result;
  void* block = nullptr;
  if (is_root) {
    if (!membership.consecutive) whole = handle.stage().get(blocks.total());
    if (whole != nullptr) block = at(whole, static_cast<std::ptrdiff_t>(blocks.start(membership.here)));
  } else {
    block = handle.stage().get(blocks.count(membership.here));
  }
  if (block == nullptr && bytes != 0) return M_ERROR_MEMORY;
  int code = shared::gather(handle, Lengths::equal, source, bytes, block, blocks_map, leaders.local_leader());
  code = leaders.gather(code, block, is_root ? whole : nullptr, bytes);
  if (is_root && whole != result) to_member_order(membership, whole, result, bytes);
  handle.stage().trim();
  return code;
}

int allgather(GroupHandle& handle, const void* source, void* result, std::size_t bytes) {
  const Membership& membership = handle.membership();
  const BlockMap blocks_map(bytes);
  if (!is_possible_size(bytes, handle.size()) || !has_memory(source, bytes) || !has_memory(result, bytes)) {
    return M_ERROR_ARGUMENT;
  }
  if (handle.has_one_member()) return give_itself(result, source, bytes);
  if (handle.is_all_here()) {
    return bytes == 0 ? shared::move_nothing(handle, Call::allgather)
                      : shared::allgather(handle, source, bytes, result, blocks_map);
  }
  Leaders leaders(handle);
  if (handle.local_members() == 1 && membership.consecutive)
    return leaders.allgather(M_SUCCESS, source, result, bytes);
  const schedule::Blocks blocks = leaders.blocks(bytes);
  int code = M_SUCCESS;
  if (!leaders.includes_me()) {
    code = shared::gather(handle, Lengths::equal, source, bytes, nullptr, blocks_map, leaders.local_leader());
  } else {
    void* whole = membership.consecutive ? result : handle.stage().get(blocks.total());
    if (whole == nullptr && bytes != 0) return M_ERROR_MEMORY;
    void* block = at(whole, static_cast<std::ptrdiff_t>(blocks.start(membership.here)));
    code = shared::gather(handle, Lengths::equal, source, bytes, block, blocks_map, leaders.local_leader());
    code = leaders.allgather(code, block, whole, bytes);
    if (whole != result) to_member_order(membership, whole, result, bytes);
    handle.stage().trim();
  }
  return leaders.hand_out(code, result, blocks.total());
}

int scatter(GroupHandle& handle, const void* source, void* result, std::size_t bytes, int root) {
  const Membership& membership = handle.membership();
  const BlockMap blocks_map(bytes);
  if (!is_member(handle, root) || !is_possible_size(bytes, handle.size()) || !has_memory(result, bytes) ||
      (handle.rank() == root && !has_memory(source, bytes))) {
    return M_ERROR_ARGUMENT;
  }
  if (handle.has_one_member()) return give_itself(result, source, bytes);
  if (handle.is_all_here()) {
    return bytes == 0 ? shared::move_nothing(handle, Call::scatter, root)
                      : shared::scatter(handle, Lengths::equal, source, blocks_map, result, bytes, root);
  }
  Leaders leaders(handle, root);
  if (!leaders.includes_me())
    return shared::scatter(handle, Lengths::equal, nullptr, blocks_map, result, bytes,
                           leaders.local_leader());

  if (handle.local_members() == 1 && membership.consecutive)
    return leaders.scatter(handle.rank() == root ? source : nullptr, result, bytes);
  const schedule::Blocks blocks = leaders.blocks(bytes);
  if (handle.rank() != root) {
    void* block = handle.stage().get(blocks.count(membership.here));
    if (block == nullptr) return M_ERROR_MEMORY;
    int code = leaders.scatter(nullptr, block, bytes);
    if (code == M_SUCCESS) {
      code =
          shared::scatter(handle, Lengths::equal, block, blocks_map, result, bytes, leaders.local_leader());
    } else {
      shared::fail(handle, Call::scatter, bytes, leaders.local_leader());
    }
    handle.stage().trim();
    return code;
  }
  const void* whole = source;
  if (!membership.consecutive) {
    std::byte* staged = handle.stage().get(blocks.total());
    if (staged == nullptr) return M_ERROR_MEMORY;
    to_process_order(membership, source, staged, bytes);
    whole = staged;
  }
  const std::byte* block = at(whole, static_cast<std::ptrdiff_t>(blocks.start(membership.here)));
  // The schedule wants a place for the root's block of the whole: it is there already.
  const int code = leaders.scatter(whole, const_cast<std::byte*>(block), bytes);
  const int local =
      shared::scatter(handle, Lengths::equal, block, blocks_map, result, bytes, leaders.local_leader());
  handle.stage().trim();
  return first_error(code, local);
}

}  // namespace taihu::collective
