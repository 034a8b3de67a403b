// SPDX-License-Identifier: Apache-2.0
// The shared forms that move data from or to one place: barrier, bcast, gather, allgather, scatter.
#include "taihu/collective/block_table.h"
#include "taihu/collective/board.h"
#include "taihu/collective/length_check.h"
#include "taihu/collective/shared_forms.h"
#include "taihu/collective/shared_step.h"

namespace taihu::collective::shared {

namespace {

int report_missing_data(GroupHandle& handle, int from) {
  const int member = handle.membership().local()[static_cast<std::size_t>(from)];
  handle.set_problem("rank " + std::to_string(handle.global_rank(member)) +
                     ", which hands on what other node processes send, has got another length than it "
                     "expects; the counts of all members must agree");
  return M_ERROR_TRUNCATE;
}

}  // namespace

int barrier(GroupHandle& handle) {
  SharedStep step(handle, {.call = Call::barrier});
  step.arrive();
  return step.await_all_arrivals();
}

int move_nothing(GroupHandle& handle, Call call, int root) {
  SharedStep step(handle, {.call = call, .root = root});
  step.arrive();
  return M_SUCCESS;
}

int collect(GroupHandle& handle) {
  if (handle.local_members() == 1) return M_SUCCESS;
  SharedStep step(handle, {.call = Call::barrier});
  step.arrive();
  return step.me() == 0 ? step.await_all_arrivals() : M_SUCCESS;
}

int release(GroupHandle& handle) {
  if (handle.local_members() == 1) return M_SUCCESS;
  SharedStep step(handle, {.call = Call::barrier, .root = 0});
  step.arrive();
  return step.me() == 0 ? M_SUCCESS : step.await_arrival(0);
}

int bcast(GroupHandle& handle, void* buffer, std::size_t bytes, int root, const Meanwhile& meanwhile) {
  if (handle.local_members() == 1) {
    if (meanwhile) meanwhile();
    return M_SUCCESS;
  }
  const bool is_inline = bytes <= handle.board().inline_bytes_from_one();
  SharedStep step(handle, {.call = Call::bcast, .root = root, .bytes = bytes});
  if (step.me() == root) {
    if (is_inline) {
      copy_block(step.place_inline(bytes), buffer, bytes);
    } else {
      step.publish(buffer, nullptr);
    }
    if (is_inline)
      step.arrive_in_stream();
    else
      step.arrive();
    if (meanwhile) meanwhile();
    return is_inline ? M_SUCCESS : step.depart_and_help();
  }
  step.arrive();
  const int code = is_inline ? step.await_data_of(root, bytes) : step.await_arrival(root);
  if (code != M_SUCCESS) return code;
  if (step.form_of(root) == Form::nothing) return report_missing_data(handle, root);
  if (is_inline) {
    copy_block(buffer, step.source_of(root), bytes);
  } else {
    step.copy_with_help(buffer, step.source_of(root), bytes);
    step.depart();
  }
  return M_SUCCESS;
}

void fail(GroupHandle& handle, Call call, std::size_t bytes, int root) {
  SharedStep step(handle, {.call = call, .root = root, .bytes = bytes});
  step.arrive();
}

int share(GroupHandle& handle, const void* data, std::size_t bytes, int root,
          const std::function<void(const std::byte*)>& take) {
  SharedStep step(handle, {.call = Call::bcast, .root = root, .bytes = bytes});
  if (step.me() == root) step.publish(data, nullptr);
  step.arrive();
  if (step.me() == root) {
    take(static_cast<const std::byte*>(data));
    return step.depart_with_all();
  }
  const int code = step.await_arrival(root);
  if (code != M_SUCCESS) return code;
  if (step.form_of(root) == Form::nothing) return report_missing_data(handle, root);
  take(step.source_of(root));
  step.depart();
  return M_SUCCESS;
}

namespace {

// A long block goes straight to its place, by the member that has it.
int give_block(GroupHandle& handle, SharedStep& step, Lengths lengths, const void* source, std::size_t bytes,
               int root) {
  const int code = step.await_arrival(root);
  if (code != M_SUCCESS) return code;
  bool fits = true;
  if (lengths == Lengths::equal) {
    copy_block(block_at(step.addresses_of(root).result, step.me(), bytes), source, bytes);
  } else if (step.form_of(root) == Form::published) {
    const PublishedBlock& place = BlockTable::mine(step, root);
    fits = has_length(handle, "a gatherv", step.me(), bytes, root, place.bytes);
    if (fits) copy_block(place.data, source, bytes);
  } else {  // which expects short blocks only
    fits = false;
    tell_lengths(handle, "a gatherv", step.me(), bytes, root,
                 "at most " + std::to_string(handle.board().inline_bytes_gathered_to_one()));
  }
  step.depart();
  return fits ? M_SUCCESS : M_ERROR_TRUNCATE;
}

int take_blocks(GroupHandle& handle, SharedStep& step, Lengths lengths, void* result, const BlockMap& map,
                std::size_t own_bytes) {
  // Long blocks make no stream: their members wait for the root in each call.
  const int arrived = own_bytes <= handle.board().inline_bytes_gathered_to_one()
                          ? step.await_data_of_all(own_bytes)
                          : step.await_all_arrivals();
  if (arrived != M_SUCCESS) {
    step.await_writers();
    return arrived;
  }
  bool fits = true;
  bool is_published = false;
  for (int k = 0; k < step.members(); ++k) {
    if (k == step.me()) continue;
    is_published |= step.form_of(k) == Form::published;
    if (lengths == Lengths::own &&
        !has_length(handle, "a gatherv", k, step.length_of(k), step.me(), map.bytes(k))) {
      fits = false;
    } else if (step.form_of(k) != Form::published) {
      copy_block(map.block(result, k), step.source_of(k), map.bytes(k));
    }
  }
  const int departed = is_published ? step.depart_with_all() : M_SUCCESS;
  return fits ? departed : M_ERROR_TRUNCATE;
}

// Of blocks for others.
bool are_inline(const BlockMap& map, int members, int root, std::size_t most_bytes) noexcept {
  for (int k = 0; k < members; ++k)
    if (k != root && map.bytes(k) > most_bytes) return false;
  return true;
}

}  // namespace

int gather(GroupHandle& handle, Lengths lengths, const void* source, std::size_t bytes, void* result,
           const BlockMap& result_map, int root) {
  const bool is_equal = lengths == Lengths::equal;
  const std::size_t most_inline = handle.board().inline_bytes_gathered_to_one();
  SharedStep step(
      handle, {.call = is_equal ? Call::gather : Call::gatherv, .root = root, .bytes = is_equal ? bytes : 0});
  if (step.me() == root) {
    const auto take = [&] {
      step.arrive();
      const bool fits = has_length(handle, "a gather", root, bytes, root, result_map.bytes(root));
      if (fits) copy_block(result_map.block(result, root), source, bytes);
      const int code = take_blocks(handle, step, lengths, result, result_map, bytes);
      return fits ? code : M_ERROR_TRUNCATE;
    };
    if (is_equal) {
      step.publish(nullptr, result);
      return take();
    }
    if (are_inline(result_map, step.members(), root, most_inline)) return take();
    const BlockTable places(result_map, result, step.members(), root);
    places.publish(step);
    return take();
  }
  if (bytes > most_inline) {
    step.publish(source, nullptr, bytes);
    step.arrive();
    return give_block(handle, step, lengths, source, bytes, root);
  }
  copy_block(is_equal ? step.place_inline(bytes) : step.place_with_length(bytes), source, bytes);
  step.arrive_in_stream();
  if (!is_equal) step.depart();  // the root may wait for others, whose blocks are long
  return M_SUCCESS;
}

int allgather(GroupHandle& handle, const void* source, std::size_t bytes, void* result, const BlockMap& map) {
  const bool is_equal = map.has_equal_blocks();
  SharedStep step(handle,
                  {.call = is_equal ? Call::allgather : Call::allgatherv, .bytes = is_equal ? bytes : 0});
  if (bytes <= handle.board().inline_bytes_of_all()) {
    copy_block(is_equal ? step.place_inline(bytes) : step.place_with_length(bytes), source, bytes);
  } else {
    step.publish(source, nullptr, bytes);
  }
  step.arrive();
  int code = step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  bool is_published = false;
  for (int j = 0; j < step.members(); ++j) {  // not all from the same one at the same time
    const int k = (step.me() + j) % step.members();
    is_published |= step.form_of(k) == Form::published;
    if (!is_equal && !has_length(handle, "an allgatherv", k, step.length_of(k), step.me(), map.bytes(k))) {
      code = M_ERROR_TRUNCATE;
    } else {
      copy_block(map.block(result, k), k == step.me() ? source : step.source_of(k), map.bytes(k));
    }
  }
  const int departed = is_published ? step.depart_with_all() : M_SUCCESS;
  return code != M_SUCCESS ? code : departed;
}

namespace {

// Equal blocks for the others.
void put_equal_blocks(std::byte* place, const void* source, std::size_t bytes, int members, int root) {
  const std::size_t before = bytes * static_cast<std::size_t>(root);
  copy_block(place, source, before);
  copy_block(place + before, block_at(source, root + 1, bytes),
             bytes * static_cast<std::size_t>(members - 1) - before);
}

// Blocks of unequal lengths for several members, behind a table of where they end; null: only their length,
// with the table, if there is one.
std::size_t put_blocks(std::byte* place, const void* source, const BlockMap& map, int members, int root) {
  std::size_t end = inline_table_bytes(members);
  for (int k = 0; k < members; ++k) {
    const std::size_t bytes = k != root ? map.bytes(k) : 0;
    if (place != nullptr) copy_block(place + end, map.block(source, k), bytes);
    end += bytes;
    if (place != nullptr) reinterpret_cast<InlineLength*>(place)[k] = static_cast<InlineLength>(end);
  }
  return end;
}

// The block of a root that has put all of them inline, or null with its true length.
const std::byte* inline_block(const SharedStep& step, int root, int member, std::size_t* bytes) {
  const std::byte* place = step.source_of(root);
  if (inline_table_bytes(step.members()) == 0) {
    *bytes = step.length_of(root);
    return place;
  }
  const auto* ends = reinterpret_cast<const InlineLength*>(place);
  const std::size_t start = member == 0 ? inline_table_bytes(step.members()) : ends[member - 1];
  *bytes = ends[member] - start;
  return place + start;
}

int fetch_own_length(GroupHandle& handle, SharedStep& step, void* result, std::size_t bytes, int root) {
  std::size_t sent = 0;
  const std::byte* block = nullptr;
  const bool is_published = step.form_of(root) == Form::published;
  if (is_published) {
    const PublishedBlock& mine = BlockTable::mine(step, root);
    sent = mine.bytes;
    block = mine.data;
  } else {
    block = inline_block(step, root, step.me(), &sent);
  }
  const bool fits = has_length(handle, "a scatterv", root, sent, step.me(), bytes);
  if (fits) copy_block(result, block, bytes);
  if (is_published) step.depart();
  return fits ? M_SUCCESS : M_ERROR_TRUNCATE;
}

/// The only block for another member, which needs no table; false, and nothing has happened, when it is long.
bool put_only_block(GroupHandle& handle, SharedStep& step, const void* source, const BlockMap& map) {
  const int other = 1 - step.me();
  const std::size_t bytes = map.bytes(other);
  if (bytes > handle.board().inline_bytes_scattered()) return false;
  copy_block(step.place_with_length(bytes), map.block(source, other), bytes);
  step.arrive_in_stream();
  return true;
}

int scatter_from_root(GroupHandle& handle, SharedStep& step, const void* source, const BlockMap& map,
                      void* result, std::size_t bytes) {
  const bool is_equal = map.has_equal_blocks();
  if (!is_equal && step.members() == 2 && put_only_block(handle, step, source, map)) {
    copy_block(result, map.block(source, step.me()), bytes);
    return M_SUCCESS;
  }
  const std::size_t all_bytes = is_equal ? map.bytes(0) * static_cast<std::size_t>(step.members() - 1)
                                         : put_blocks(nullptr, nullptr, map, step.members(), step.me());
  // The table of lengths does not count: with it a block would need a second meeting that without does not.
  const std::size_t table_bytes = is_equal ? 0 : inline_table_bytes(step.members());
  const auto finish = [&] {
    step.arrive();
    copy_block(result, map.block(source, step.me()), bytes);
  };
  if (all_bytes - table_bytes <= handle.board().inline_bytes_scattered() &&
      all_bytes <= handle.board().most_inline_bytes()) {
    if (is_equal) {
      put_equal_blocks(step.place_inline(all_bytes), source, map.bytes(0), step.members(), step.me());
    } else {
      put_blocks(step.place_with_length(all_bytes), source, map, step.members(), step.me());
    }
    step.arrive_in_stream();
    copy_block(result, map.block(source, step.me()), bytes);
    return M_SUCCESS;
  }
  if (is_equal) {
    step.publish(source, nullptr);
    finish();
    return step.depart_with_all();
  }
  const BlockTable blocks(map, source, step.members(), step.me());
  blocks.publish(step);
  finish();
  return step.depart_with_all();
}

}  // namespace

int scatter(GroupHandle& handle, Lengths lengths, const void* source, const BlockMap& source_map,
            void* result, std::size_t bytes, int root) {
  const bool is_equal = lengths == Lengths::equal;
  SharedStep step(
      handle,
      {.call = is_equal ? Call::scatter : Call::scatterv, .root = root, .bytes = is_equal ? bytes : 0});
  if (step.me() == root) {
    const bool fits = has_length(handle, "a scatter", root, source_map.bytes(root), root, bytes);
    const int code = scatter_from_root(handle, step, source, source_map, result, fits ? bytes : 0);
    return fits ? code : M_ERROR_TRUNCATE;
  }
  step.arrive();
  const std::size_t all_bytes = bytes * static_cast<std::size_t>(step.members() - 1);
  const int code = all_bytes <= handle.board().inline_bytes_scattered() ? step.await_data_of(root, all_bytes)
                                                                        : step.await_arrival(root);
  if (code != M_SUCCESS) return code;
  if (step.form_of(root) == Form::nothing) return report_missing_data(handle, root);
  if (!is_equal) return fetch_own_length(handle, step, result, bytes, root);
  const bool is_published = step.form_of(root) == Form::published;
  const int before = !is_published && step.me() > root ? step.me() - 1 : step.me();
  copy_block(result, block_at(step.source_of(root), before, bytes), bytes);
  if (is_published) step.depart();
  return M_SUCCESS;
}

}  // namespace taihu::collective::shared
