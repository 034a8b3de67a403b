// SPDX-License-Identifier: Apache-2.0
// Collectives among the members of a group inside one node process. Members, roots and blocks are counted by
// local index, except where said. Short data travel inline on the board, and nobody waits who need not; of
// long data everyone publishes addresses and the members copy or reduce straight between the users' buffers,
// each a part of it.
//
// When a call returns, the caller's buffers are its own again. Where the calls of local members do not fit
// together, those that can see it return M_ERROR_ARGUMENT or M_ERROR_TRUNCATE with the reason in the handle.
#pragma once

#include <cstddef>
#include <functional>

#include "taihu/collective/block_map.h"
#include "taihu/collective/board.h"
#include "taihu/collective/group.h"
#include "taihu/collective/operations.h"

namespace taihu::collective::shared {

/// Runs between publishing and waiting; null: nothing to do.
using Meanwhile = std::function<void()>;

int barrier(GroupHandle& handle);

/// A call without data: waits for nobody, but members that expect some see that lengths differ, instead of
/// waiting for ever. For groups of one node process; between several, empty messages do the same.
int move_nothing(GroupHandle& handle, Call call, int root = -1);

/// One `collect` then one `release` make a barrier, with time for the collector (local member 0) in between.
int collect(GroupHandle& handle);
int release(GroupHandle& handle);

/// Meanwhile is the root's only.
int bcast(GroupHandle& handle, void* buffer, std::size_t bytes, int root, const Meanwhile& meanwhile);
/// Instead of bcast, share (Call::bcast) or scatter, on a root that should have forwarded data that it never
/// received: the others return M_ERROR_TRUNCATE.
void fail(GroupHandle& handle, Call call, std::size_t bytes, int root);

/// `take` sees the root's `bytes` of `data`, on every member; called once unless the call fails.
int share(GroupHandle& handle, const void* data, std::size_t bytes, int root,
          const std::function<void(const std::byte*)>& take);

/// Member k's `source` of `bytes` becomes block k of the root's `result`; the map is used on the root only.
int gather(GroupHandle& handle, Lengths lengths, const void* source, std::size_t bytes, void* result,
           const BlockMap& result_map, int root);
/// The map's lengths are equal on all members, its offsets each member's own.
int allgather(GroupHandle& handle, const void* source, std::size_t bytes, void* result,
              const BlockMap& result_map);
/// Block k of the root's `source` becomes member k's `result`; the map is used on the root only.
int scatter(GroupHandle& handle, Lengths lengths, const void* source, const BlockMap& source_map,
            void* result, std::size_t bytes, int root);

/// The part of an alltoall of the whole group that stays inside the node process; maps count members of the
/// group. `source` may be `result` when `alltoall_is_inline`.
int alltoall(GroupHandle& handle, const void* source, const BlockMap& source_map, void* result,
             const BlockMap& result_map, const Meanwhile& meanwhile);
bool alltoall_is_inline(GroupHandle& handle, const BlockMap& source_map);

/// Operands are taken in local order, so that every member gets the same bits. `result` may be `source`.
int reduce(GroupHandle& handle, const void* source, void* result, std::size_t count,
           const Reduction& reduction, int root);
int allreduce(GroupHandle& handle, const void* source, void* result, std::size_t count,
              const Reduction& reduction);
int scan(GroupHandle& handle, const void* source, void* result, std::size_t count,
         const Reduction& reduction);
int exscan(GroupHandle& handle, const void* source, void* result, std::size_t count,
           const Reduction& reduction);
/// `counts` of elements per local member.
int reduce_scatter(GroupHandle& handle, const void* source, void* result, const std::size_t* counts,
                   const Reduction& reduction);

}  // namespace taihu::collective::shared
