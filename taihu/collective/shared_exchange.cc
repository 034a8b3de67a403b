// SPDX-License-Identifier: Apache-2.0
// alltoall among the members of a node process.
#include <optional>

#include "taihu/collective/block_table.h"
#include "taihu/collective/board.h"
#include "taihu/collective/helpers.h"
#include "taihu/collective/length_check.h"
#include "taihu/collective/shared_forms.h"
#include "taihu/collective/shared_step.h"

namespace taihu::collective::shared {

namespace {

// What a member has for each other local one, packed, behind a table of lengths where these differ.
std::size_t table_bytes(const BlockMap& map, int members) {
  return map.has_equal_blocks() ? 0 : inline_table_bytes(members);
}

std::size_t packed_bytes(const BlockMap& map, int members, int me) {
  if (map.has_equal_blocks()) return map.bytes(0) * static_cast<std::size_t>(members - 1);
  std::size_t sum = table_bytes(map, members);
  for (int k = 0; k < members; ++k) sum += k != me ? map.bytes(k) : 0;
  return sum;
}

std::size_t bytes_of_all(const BlockMap& map, int members) {
  if (map.has_equal_blocks()) return map.bytes(0) * static_cast<std::size_t>(members);
  std::size_t sum = 0;
  for (int k = 0; k < members; ++k) sum += map.bytes(k);
  return sum;
}

void pack(std::byte* place, const void* source, const BlockMap& map, int members, int me) {
  std::byte* next = place + table_bytes(map, members);
  for (int k = 0; k < members; ++k) {
    const std::size_t bytes = k != me ? map.bytes(k) : 0;
    if (table_bytes(map, members) != 0)
      reinterpret_cast<InlineLength*>(place)[k] = static_cast<InlineLength>(bytes);
    copy_block(next, map.block(source, k), bytes);
    next += bytes;
  }
}

struct Incoming {
  const std::byte* data;
  std::size_t bytes;
};

// `out` is the caller's map: where blocks are equal so are the maps of all.
Incoming incoming_from(SharedStep& step, int from, const BlockMap& out) {
  const bool has_equal_blocks = out.has_equal_blocks();
  const std::size_t block_bytes = out.bytes(0);
  if (step.form_of(from) == Form::published) {
    if (has_equal_blocks) return {out.block(step.addresses_of(from).source, step.me()), block_bytes};
    const PublishedBlock& block = BlockTable::mine(step, from);
    return {block.data, block.bytes};
  }
  const std::byte* place = step.source_of(from);
  const int before = step.me() < from ? step.me() : step.me() - 1;  // blocks; it has none for itself
  if (has_equal_blocks) return {block_at(place, before, block_bytes), block_bytes};
  if (inline_table_bytes(step.members()) == 0) return {place, step.length_of(from)};
  const auto* lengths = reinterpret_cast<const InlineLength*>(place);
  const std::byte* data = place + inline_table_bytes(step.members());
  for (int k = 0; k < step.me(); ++k) data += lengths[k];
  return {data, lengths[step.me()]};
}

}  // namespace

namespace {

// The table of lengths does not count (see scatter).
bool fits_inline(const Board& board, const BlockMap& map, int members, std::size_t packed) {
  return packed - table_bytes(map, members) <= board.inline_bytes_of_all() &&
         packed <= board.most_inline_bytes();
}

}  // namespace

bool alltoall_is_inline(GroupHandle& handle, const BlockMap& source_map) {
  const BlockMap map = source_map.of_members(handle.membership().local().data());
  const int members = handle.local_members();
  return fits_inline(handle.board(), map, members, packed_bytes(map, members, handle.local_index()));
}

int alltoall(GroupHandle& handle, const void* source, const BlockMap& source_map, void* result,
             const BlockMap& result_map, const Meanwhile& meanwhile) {
  const BlockMap out = source_map.of_members(handle.membership().local().data());
  const BlockMap in = result_map.of_members(handle.membership().local().data());
  const bool is_equal = out.has_equal_blocks();
  const std::size_t block_bytes = is_equal ? out.bytes(0) : 0;
  const std::size_t bytes = packed_bytes(out, handle.local_members(), handle.local_index());
  std::optional<BlockTable> blocks;
  SharedStep step(handle, {.call = is_equal ? Call::alltoall : Call::alltoallv, .bytes = block_bytes});
  if (fits_inline(handle.board(), out, step.members(), bytes)) {
    pack(is_equal ? step.place_inline(bytes) : step.place_with_length(bytes), source, out, step.members(),
         step.me());
  } else if (is_equal) {
    step.publish(source, nullptr);
  } else {
    blocks.emplace(out, source, step.members(), step.me()).publish(step);
  }
  step.arrive();
  if (meanwhile) meanwhile();
  int code = step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  BlockCopies copies(handle.helped_copy(), bytes_of_all(in, step.members()));
  bool is_published = false;
  for (int j = 0; j < step.members(); ++j) {
    const int from = (step.me() + j) % step.members();
    is_published |= step.form_of(from) == Form::published;
    const Incoming incoming = from == step.me() ? Incoming{out.block(source, from), out.bytes(from)}
                                                : incoming_from(step, from, out);
    if (has_length(handle, "an alltoall", from, incoming.bytes, step.me(), in.bytes(from))) {
      copies.add(in.block(result, from), incoming.data, incoming.bytes);
    } else {
      code = M_ERROR_TRUNCATE;
    }
  }
  copies.finish();
  const int departed = is_published ? step.depart_with_all() : M_SUCCESS;
  return code != M_SUCCESS ? code : departed;
}

}  // namespace taihu::collective::shared
