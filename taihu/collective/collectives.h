// SPDX-License-Identifier: Apache-2.0
// The collectives of a group, over shared memory inside node processes and messages between them.
//
// All members of the group call, in the same order, with fitting arguments; different groups may interleave
// in any order that is free of cycles. A call blocks until the caller's part is done and its buffers are its
// own again; other threads of the rank may use messages meanwhile. Roots are members; bytes and counts are
// per member where several buffers are meant. Codes are those of abi/parallelc.h:
// - M_ERROR_ARGUMENT, before anything is sent: bad root, negative count, invalid pair of type and operation,
//   missing buffer; or the call does not fit to that of a member of the same node process (see
//   GroupHandle::problem)
// - M_ERROR_TRUNCATE: a member of another node process sent another length than expected; results are
//   undefined
// - M_ERROR_MEMORY: no memory for intermediate results
//
// Reductions take operands in the order of members inside a node process, then of node processes; for a given
// placement results are the same bits on all members and in every run.
//
// With several node processes each has a leader: the root where it is local, else the first local member. A
// collective is then a shared form among neighbours, a schedule among the leaders, and a shared form again;
// alltoall and scan use messages between all members of different node processes. Source of the two-level
// scheme: A. Mamidala et al.: MPI collectives on modern multicore clusters, CCGrid 2008.
#pragma once

#include <cstddef>

#include "taihu/collective/group.h"
#include "taihu/collective/operations.h"

namespace taihu::collective {

int barrier(GroupHandle& handle);

int bcast(GroupHandle& handle, void* buffer, std::size_t bytes, int root);

/// `result` is used on the root only. `result` may be `source`.
int reduce(GroupHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op,
           int root);
int allreduce(GroupHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op);
/// Inclusive prefix combination in the order of members.
int scan(GroupHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op);

/// Block k of `bytes` of the root's `result` is the `source` of member k. A source that is its own block of
/// the result (in place) is allowed.
int gather(GroupHandle& handle, const void* source, void* result, std::size_t bytes, int root);
int allgather(GroupHandle& handle, const void* source, void* result, std::size_t bytes);
/// `result` of member k is block k of `bytes` of the root's `source`.
int scatter(GroupHandle& handle, const void* source, void* result, std::size_t bytes, int root);

/// Block k of `bytes` of `source` goes to member k, as its block with my number.
int alltoall(GroupHandle& handle, const void* source, void* result, std::size_t bytes);
/// The same with counts and displacements of elements; one entry per member.
int alltoallv(GroupHandle& handle, const void* source, const long* source_counts,
              const long* source_displacements, void* result, const long* result_counts,
              const long* result_displacements, std::size_t element_bytes);

}  // namespace taihu::collective
