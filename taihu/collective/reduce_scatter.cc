// SPDX-License-Identifier: Apache-2.0
// reduce_scatter over all node processes of a group. Each leader holds the combination of its neighbours; the
// leaders combine these, each for the blocks of its neighbours, and hand them out.
#include <vector>

#include "taihu/collective/arguments.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/leaders.h"
#include "taihu/collective/shared_forms.h"

namespace taihu::collective {

namespace {

// Lengths and offsets in bytes of the members' blocks.
struct MemberBlocks {
  MemberBlocks(const std::size_t* counts, int members, std::size_t element_bytes) {
    for (int k = 0; k < members; ++k) {
      offsets.push_back(static_cast<std::ptrdiff_t>(all_bytes));
      bytes.push_back(counts[k] * element_bytes);
      all_bytes += bytes.back();
    }
  }
  std::size_t bytes_of(int member) const { return bytes[static_cast<std::size_t>(member)]; }
  BlockMap map() const { return BlockMap(bytes.data(), offsets.data()); }

  std::vector<std::size_t> bytes;
  std::vector<std::ptrdiff_t> offsets;
  std::size_t all_bytes = 0;
};

// The same in the order of node processes, and where the blocks of each process begin.
struct ProcessBlocks {
  ProcessBlocks(const Membership& membership, const MemberBlocks& members) : offsets(members.bytes.size()) {
    for (const std::vector<int>& neighbours : membership.members_of) {
      for (const int member : neighbours) {
        offsets[static_cast<std::size_t>(member)] = static_cast<std::ptrdiff_t>(next);
        next += members.bytes_of(member);
      }
      blocks.starts.push_back(next);
    }
  }

  std::size_t next = 0;
  std::vector<std::ptrdiff_t> offsets;
  schedule::Blocks blocks;
};

// The leader's part; its neighbours only reduce and take their blocks.
int lead(GroupHandle& handle, Leaders& leaders, const void* source, void* result, const MemberBlocks& members,
         const Reduction& reduction) {
  const Membership& membership = handle.membership();
  const ProcessBlocks order(membership, members);
  const std::size_t mine = order.blocks.count(membership.here);
  std::byte* stage = handle.stage().get(2 * members.all_bytes + mine);
  if (stage == nullptr) return M_ERROR_MEMORY;
  std::byte* partial = stage;
  std::byte* sorted = membership.consecutive ? partial : partial + members.all_bytes;
  std::byte* combined = sorted + members.all_bytes;

  const std::size_t count = members.all_bytes / reduction.element_bytes;
  int code = shared::reduce(handle, source, partial, count, reduction, leaders.local_leader());
  if (!membership.consecutive) {
    const BlockMap to(members.bytes.data(), order.offsets.data());
    for (int member = 0; member < handle.size(); ++member) {
      copy_block(to.block(sorted, member), members.map().block(partial, member), to.bytes(member));
    }
  }
  code = leaders.run(code, leaders.reduce_scatter_program(order.blocks, reduction), {sorted, combined},
                     &reduction);
  // Offsets of my neighbours' blocks are those in process order, from where this process begins.
  std::vector<std::ptrdiff_t> offsets = order.offsets;
  for (std::ptrdiff_t& offset : offsets) {
    offset -= static_cast<std::ptrdiff_t>(order.blocks.start(membership.here));
  }
  const BlockMap map = BlockMap(members.bytes.data(), offsets.data()).of_members(membership.local().data());
  if (code == M_SUCCESS)
    code = shared::scatter(handle, Lengths::own, combined, map, result, members.bytes_of(handle.rank()),
                           leaders.local_leader());
  else
    shared::fail(handle, Call::scatterv, 0, leaders.local_leader());
  handle.stage().trim();
  return code;
}

// In the order of members, whatever their placement.
int through_first_member(GroupHandle& handle, const void* source, void* result, const MemberBlocks& members,
                         const Reduction& reduction) {
  const bool is_first = handle.rank() == 0;
  void* whole = is_first ? handle.stage().get(members.all_bytes) : nullptr;
  if (is_first && whole == nullptr) return M_ERROR_MEMORY;
  const std::size_t count = members.all_bytes / reduction.element_bytes;
  int code = reduce(handle, source, whole, count, reduction, 0);
  if (is_first && code != M_SUCCESS)
    return fail_scatterv(handle, code, members.bytes.data(), members.offsets.data());
  code = first_error(code, scatterv(handle, whole, members.bytes.data(), members.offsets.data(), result,
                                    members.bytes_of(handle.rank()), 0));
  handle.stage().trim();
  return code;
}

}  // namespace

int reduce_scatter(GroupHandle& handle, const void* source, void* result, const std::size_t* counts,
                   const Reduction& reduction) {
  if (counts == nullptr) return M_ERROR_ARGUMENT;
  std::size_t all = 0;
  for (int k = 0; k < handle.size(); ++k) {
    if (counts[k] > most_bytes - all) return M_ERROR_ARGUMENT;
    all += counts[k];
  }
  if (!is_reducible(source, all, reduction) || !has_memory(result, counts[handle.rank()])) {
    return M_ERROR_ARGUMENT;
  }
  if (handle.has_one_member()) return give_itself(result, source, all * reduction.element_bytes);
  if (handle.is_all_here()) {
    return all == 0 ? shared::move_nothing(handle, Call::reduce_scatter)
                    : shared::reduce_scatter(handle, source, result, counts, reduction);
  }
  const MemberBlocks members(counts, handle.size(), reduction.element_bytes);
  if (!may_reduce_by_process(handle, reduction)) {
    return through_first_member(handle, source, result, members, reduction);
  }
  Leaders leaders(handle);
  if (leaders.includes_me()) return lead(handle, leaders, source, result, members, reduction);
  const int code = shared::reduce(handle, source, nullptr, all, reduction, leaders.local_leader());
  return first_error(code, shared::scatter(handle, Lengths::own, nullptr, BlockMap(), result,
                                           members.bytes_of(handle.rank()), leaders.local_leader()));
}

}  // namespace taihu::collective
