// SPDX-License-Identifier: Apache-2.0
// The collectives of a group, over shared memory inside node processes and messages between them.
//
// All members of the group call, in the same order, with fitting arguments; different groups may interleave
// in any order that is free of cycles. A call blocks until the caller's part is done and its buffers are its
// own again; other threads of the rank may use messages meanwhile. Roots are members; bytes and counts are
// per member where several buffers are meant. Codes are those of abi/parallelc.h:
// - M_ERROR_ARGUMENT, before anything is sent: bad root, negative count, invalid pair of type and operation,
//   missing buffer; or the call does not fit to that of a member of the same node process: this one or, where
//   nobody waited in it, an earlier one (see GroupHandle::problem)
// - M_ERROR_TRUNCATE: a member sent another length than expected; results are undefined
// - M_ERROR_MEMORY: no memory for intermediate results
//
// In place: `source` may be the very address where the call's result for this member's own data goes; it is
// told at each call. No other overlap of a member's source and result is allowed. Empty blocks may have null
// addresses. A call that moves nothing for anybody, as all members know, returns at once.
//
// Reductions take operands in the order of members inside a node process, then of node processes; those that
// are not commutative in the order of members in any case. For a given placement results are the same bits
// on all members and in every run.
//
// With several node processes each has a leader: the root where it is local, else the first local member. A
// collective is then a shared form among neighbours, a schedule among the leaders, and a shared form again;
// alltoall, scan and the calls with a root and blocks of unequal length use messages between members of
// different node processes. Source of the two-level scheme: A. Mamidala et al.: MPI collectives on modern
// multicore clusters, CCGrid 2008.
#pragma once

#include <cstddef>

#include "taihu/collective/group.h"
#include "taihu/collective/operations.h"

namespace taihu::collective {

int barrier(GroupHandle& handle);

int bcast(GroupHandle& handle, void* buffer, std::size_t bytes, int root);

/// `count` elements of every member, combined, to the root. `result` is used on the root only. In place:
/// `result` is `source` (on the root; it makes no difference elsewhere).
int reduce(GroupHandle& handle, const void* source, void* result, std::size_t count,
           const Reduction& reduction, int root);
/// The same to everyone. In place: `result` is `source`.
int allreduce(GroupHandle& handle, const void* source, void* result, std::size_t count,
              const Reduction& reduction);
/// Combination of members 0 .. me. In place: `result` is `source`.
int scan(GroupHandle& handle, const void* source, void* result, std::size_t count,
         const Reduction& reduction);
/// Combination of members 0 .. me - 1; the result of member 0 is not touched and may be null. In place:
/// `result` is `source`.
int exscan(GroupHandle& handle, const void* source, void* result, std::size_t count,
           const Reduction& reduction);
/// `counts[k]` elements, one block behind the other, are combined for member k; counts are equal on all
/// members. In place: `result` is `source`; the caller's block is written to its beginning and what is
/// behind is undefined.
int reduce_scatter(GroupHandle& handle, const void* source, void* result, const std::size_t* counts,
                   const Reduction& reduction);

/// The same for the types and operations of Parallel C.
int reduce(GroupHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op,
           int root);
int allreduce(GroupHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op);
int scan(GroupHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op);

/// Block k of `bytes` of the root's `result` is the `source` of member k. In place (root): `source` is the
/// root's own block of `result`.
int gather(GroupHandle& handle, const void* source, void* result, std::size_t bytes, int root);
/// The same with block k of `result_bytes[k]` at `result_offsets[k]` bytes; both arrays are used on the root
/// only. `bytes` is the caller's length, equal to the root's entry for it.
int gatherv(GroupHandle& handle, const void* source, std::size_t bytes, void* result,
            const std::size_t* result_bytes, const std::ptrdiff_t* result_offsets, int root);

/// In place: `source` is the caller's own block of `result`.
int allgather(GroupHandle& handle, const void* source, void* result, std::size_t bytes);
/// `result_bytes` is equal on all members; offsets are each member's own.
int allgatherv(GroupHandle& handle, const void* source, std::size_t bytes, void* result,
               const std::size_t* result_bytes, const std::ptrdiff_t* result_offsets);

/// `result` of member k is block k of `bytes` of the root's `source`. In place (root): `result` is the root's
/// own block of `source`.
int scatter(GroupHandle& handle, const void* source, void* result, std::size_t bytes, int root);
/// The same with block k of `source_bytes[k]` at `source_offsets[k]` bytes; both arrays are used on the root
/// only. `bytes` is the caller's length, equal to the root's entry for it.
int scatterv(GroupHandle& handle, const void* source, const std::size_t* source_bytes,
             const std::ptrdiff_t* source_offsets, void* result, std::size_t bytes, int root);

/// Block k of `bytes` of `source` goes to member k, as its block with my number. In place: `source` is
/// `result` (the blocks are copied aside first when they are long).
int alltoall(GroupHandle& handle, const void* source, void* result, std::size_t bytes);
/// The same with lengths and offsets in bytes, one entry per member (alltoallv and alltoallw of MPI). In
/// place: `source` is `result` and the source's arrays are the result's.
int alltoallv(GroupHandle& handle, const void* source, const std::size_t* source_bytes,
              const std::ptrdiff_t* source_offsets, void* result, const std::size_t* result_bytes,
              const std::ptrdiff_t* result_offsets);
/// The same with counts and displacements of elements.
int alltoallv(GroupHandle& handle, const void* source, const long* source_counts,
              const long* source_displacements, void* result, const long* result_counts,
              const long* result_displacements, std::size_t element_bytes);

}  // namespace taihu::collective
