// SPDX-License-Identifier: Apache-2.0
// The shared forms that only move data: barrier, bcast, gather, allgather, scatter, alltoall.
#include "taihu/collective/copy.h"
#include "taihu/collective/shared_forms.h"
#include "taihu/collective/shared_step.h"

namespace taihu::collective::shared {

int barrier(GroupHandle& handle) {
  SharedStep step(handle, {.call = Call::barrier});
  step.arrive(Notice::when_complete);
  return step.await_all_arrivals();
}

int collect(GroupHandle& handle) {
  SharedStep step(handle, {.call = Call::barrier});
  step.arrive(Notice::when_complete);
  return step.me() == 0 ? step.await_all_arrivals() : M_SUCCESS;
}

int release(GroupHandle& handle) {
  SharedStep step(handle, {.call = Call::barrier, .root = 0});
  step.arrive(step.me() == 0 ? Notice::everyone : Notice::when_complete);
  return step.me() == 0 ? M_SUCCESS : step.await_arrival(0);
}

int bcast(GroupHandle& handle, void* buffer, std::size_t bytes, int root,
          const std::function<void()>& meanwhile) {
  const bool is_short = bytes <= inline_bytes;
  SharedStep step(handle, {.call = Call::bcast, .root = root, .bytes = bytes, .source = buffer});
  if (step.me() == root) {
    if (is_short) copy_block(step.my_data(), buffer, bytes);
    step.arrive(Notice::everyone);
    if (meanwhile) meanwhile();
    return is_short ? M_SUCCESS : step.depart_with_all();
  }
  step.arrive(Notice::when_complete);
  const int code = step.await_arrival(root);
  if (code != M_SUCCESS) return code;
  copy_block(buffer, is_short ? step.data_of(root) : step.announcement_of(root).source, bytes);
  if (!is_short) step.depart();
  return M_SUCCESS;
}

int gather(GroupHandle& handle, const void* source, void* result, std::size_t bytes, int root) {
  const bool is_short = bytes <= inline_bytes;
  SharedStep step(handle,
                  {.call = Call::gather, .root = root, .bytes = bytes, .source = source, .result = result});
  if (step.me() != root) {
    if (is_short) copy_block(step.my_data(), source, bytes);
    step.arrive(Notice::when_complete);
    if (is_short) return M_SUCCESS;
    const int code = step.await_arrival(root);
    if (code != M_SUCCESS) return code;
    copy_block(block_at(step.announcement_of(root).result, step.me(), bytes), source, bytes);
    step.depart();
    return M_SUCCESS;
  }
  step.arrive(Notice::everyone);
  copy_block(block_at(result, root, bytes), source, bytes);
  if (!is_short) return step.depart_with_all();
  const int code = step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  for (int k = 0; k < step.members(); ++k) {
    if (k != root) copy_block(block_at(result, k, bytes), step.data_of(k), bytes);
  }
  return M_SUCCESS;
}

int allgather(GroupHandle& handle, const void* source, void* result, std::size_t bytes) {
  const bool is_short = bytes <= inline_bytes;
  SharedStep step(handle, {.call = Call::allgather, .bytes = bytes, .source = source});
  if (is_short) copy_block(step.my_data(), source, bytes);
  step.arrive(Notice::when_complete);
  const int code = step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  for (int k = 0; k < step.members();
       ++k) {  // each starts at its own block, so that not all read one buffer at once
    const int from = (step.me() + k) % step.members();
    copy_block(block_at(result, from, bytes),
               is_short ? step.data_of(from) : step.announcement_of(from).source, bytes);
  }
  if (is_short) return M_SUCCESS;
  return step.depart_with_all();
}

int scatter(GroupHandle& handle, const void* source, void* result, std::size_t bytes, int root) {
  const bool is_short = bytes <= inline_bytes / static_cast<std::size_t>(handle.local_members());
  SharedStep step(handle, {.call = Call::scatter, .root = root, .bytes = bytes, .source = source});
  if (step.me() == root) {
    if (is_short) copy_block(step.my_data(), source, bytes * static_cast<std::size_t>(step.members()));
    step.arrive(Notice::everyone);
    copy_block(result, block_at(source, root, bytes), bytes);
    return is_short ? M_SUCCESS : step.depart_with_all();
  }
  step.arrive(Notice::when_complete);
  const int code = step.await_arrival(root);
  if (code != M_SUCCESS) return code;
  const void* blocks = is_short ? step.data_of(root) : step.announcement_of(root).source;
  copy_block(result, block_at(blocks, step.me(), bytes), bytes);
  if (!is_short) step.depart();
  return M_SUCCESS;
}

namespace {

struct Published {
  const void* source;
  const BlockMap* map;
};

// Copies what local member `from` has for me; false when it is not as long as expected.
bool fetch_block(GroupHandle& handle, int from, const Published& published, void* result,
                 const BlockMap& result_map) {
  const int member = handle.membership().local()[static_cast<std::size_t>(from)];
  const std::size_t sent = published.map->bytes(handle.rank());
  const std::size_t expected = result_map.bytes(member);
  if (sent != expected) {
    handle.set_problem("rank " + std::to_string(handle.global_rank(member)) + " sends " +
                       std::to_string(sent) + " bytes in an alltoall to rank " +
                       std::to_string(handle.global_rank(handle.rank())) + ", which expects " +
                       std::to_string(expected) + "; the counts of both must agree");
    return false;
  }
  if (sent != 0) {
    copy_block(at(result, result_map.offset(member)),
               at(published.source, published.map->offset(handle.rank())), sent);
  }
  return true;
}

int alltoall_short(GroupHandle& handle, const void* source, void* result, std::size_t bytes) {
  SharedStep step(handle, {.call = Call::alltoall, .bytes = bytes});
  copy_block(step.my_data(), source, bytes * static_cast<std::size_t>(handle.size()));
  step.arrive(Notice::when_complete);
  const int code = step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  for (int k = 0; k < step.members(); ++k) {
    const int member = handle.membership().local()[static_cast<std::size_t>(k)];
    copy_block(block_at(result, member, bytes), block_at(step.data_of(k), handle.rank(), bytes), bytes);
  }
  return M_SUCCESS;
}

}  // namespace

int alltoall(GroupHandle& handle, const void* source, const BlockMap& source_map, void* result,
             const BlockMap& result_map, const std::function<void()>& meanwhile) {
  const bool has_equal_blocks = source_map.counts == nullptr;
  if (has_equal_blocks && !meanwhile &&
      source_map.block_bytes <= inline_bytes / static_cast<std::size_t>(handle.size())) {
    return alltoall_short(handle, source, result, source_map.block_bytes);
  }
  const Published mine{source, &source_map};
  SharedStep step(handle, {.call = Call::alltoall, .bytes = source_map.block_bytes, .source = &mine});
  step.arrive(Notice::when_complete);
  if (meanwhile) meanwhile();
  const int code = step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  bool fits = true;
  for (int k = 0; k < step.members(); ++k) {
    const int from = (step.me() + k) % step.members();
    const auto& published = *static_cast<const Published*>(step.announcement_of(from).source);
    fits &= fetch_block(handle, from, published, result, result_map);
  }
  const int late = step.depart_with_all();
  return fits ? late : M_ERROR_TRUNCATE;
}

}  // namespace taihu::collective::shared
