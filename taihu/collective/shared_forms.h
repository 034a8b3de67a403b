// SPDX-License-Identifier: Apache-2.0
// Collectives among the members of a group inside one node process. Members, roots and blocks are counted by
// local index. Short data travel in the slots of the board; of long data everyone publishes its addresses and
// the members copy or reduce straight between the users' buffers, each a part of it.
//
// When a call returns, the caller's buffers are its own again. All local members call with the same sizes;
// where they do not, those that can see it return M_ERROR_ARGUMENT with the reason in the handle.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "taihu/collective/group.h"
#include "taihu/collective/operations.h"

namespace taihu::collective::shared {

int barrier(GroupHandle& handle);

/// One `collect` then one `release` make a barrier, with time for the collector (local member 0) in between.
int collect(GroupHandle& handle);
int release(GroupHandle& handle);

/// The root runs `meanwhile` (may be null) between publishing its data and waiting for the readers.
int bcast(GroupHandle& handle, void* buffer, std::size_t bytes, int root,
          const std::function<void()>& meanwhile);

/// Operands are taken in local order, so that every member gets the same bits. `result` may be `source`.
int reduce(GroupHandle& handle, const void* source, void* result, std::size_t count,
           const Reduction& reduction, int root);
int allreduce(GroupHandle& handle, const void* source, void* result, std::size_t count,
              const Reduction& reduction);
int scan(GroupHandle& handle, const void* source, void* result, std::size_t count,
         const Reduction& reduction);

/// Block k of `bytes` of the whole belongs to local member k. A block that already is in its place is not
/// copied.
int gather(GroupHandle& handle, const void* source, void* result, std::size_t bytes, int root);
int allgather(GroupHandle& handle, const void* source, void* result, std::size_t bytes);
int scatter(GroupHandle& handle, const void* source, void* result, std::size_t bytes, int root);

/// Where the blocks of an alltoall lie, by member of the group: equal blocks one behind the other, or counts
/// and displacements of elements.
struct BlockMap {
  std::size_t block_bytes = 0;
  const long* counts = nullptr;
  const long* displacements = nullptr;
  std::size_t element_bytes = 0;

  std::size_t bytes(int member) const noexcept {
    return counts != nullptr ? static_cast<std::size_t>(counts[member]) * element_bytes : block_bytes;
  }
  std::ptrdiff_t offset(int member) const noexcept {
    return counts != nullptr ? displacements[member] * static_cast<std::ptrdiff_t>(element_bytes)
                             : static_cast<std::ptrdiff_t>(static_cast<std::size_t>(member) * block_bytes);
  }
};

/// The part of an alltoall of the whole group that stays inside the node process; `meanwhile` (may be null)
/// runs between publishing and copying. M_ERROR_TRUNCATE when a neighbour sends another length than is
/// expected.
int alltoall(GroupHandle& handle, const void* source, const BlockMap& source_map, void* result,
             const BlockMap& result_map, const std::function<void()>& meanwhile);

}  // namespace taihu::collective::shared
