// SPDX-License-Identifier: Apache-2.0
// What the arguments of a collective say that must be the same on all members, for the report of those that
// do not fit together.
#pragma once

#include <cstdint>

#include "taihu/mpi/calls/collectives/bytes_sent.h"
#include "taihu/mpi/objects/pending_collective.h"

namespace taihu::mpi::collectives {

namespace detail {

/// -1 where the arguments name no such block; they are refused later then, or have counts of their own.
inline std::int64_t length_of(Rank& rank, MPI_Count count, MPI_Datatype type) noexcept {
  const Datatype* const known = rank.find<Datatype>(type);
  return known != nullptr && count >= 0 ? known->size_bytes * count : -1;
}

template <class Call>
std::int64_t common_length(Rank&, bool, const Call&) noexcept {
  return -1;
}
template <class Call>
  requires requires(const Call& call) {
    call.count;
    call.type;
  }
std::int64_t common_length(Rank& rank, bool, const Call& call) noexcept {
  if constexpr (requires { call.with_counts; }) {
    if (call.with_counts) return -1;
  }
  return length_of(rank, call.count, call.type);
}
inline std::int64_t common_length(Rank& rank, bool is_root, const Gather& call) noexcept {
  if (call.with_counts) return -1;
  return is_root ? length_of(rank, call.receive_count, call.receive_type)
                 : length_of(rank, call.send_count, call.send_type);
}
inline std::int64_t common_length(Rank& rank, bool is_root, const Scatter& call) noexcept {
  if (call.with_counts) return -1;
  return is_root ? length_of(rank, call.send_count, call.send_type)
                 : length_of(rank, call.receive_count, call.receive_type);
}
inline std::int64_t common_length(Rank& rank, bool, const Allgather& call) noexcept {
  return call.with_counts ? -1 : length_of(rank, call.receive_count, call.receive_type);
}
inline std::int64_t common_length(Rank& rank, bool, const Alltoall& call) noexcept {
  return call.form == Form::equal ? length_of(rank, call.receive.count, call.receive.type) : -1;
}

}  // namespace detail

/// Without its number. Between two groups members of both may pass other lengths and roots.
template <class Call>
PendingCollective pending_collective(Rank& rank, const Communicator& communicator, const char* name,
                                     const Call& call) noexcept {
  PendingCollective pending{.call = name, .context = communicator.context, .members = communicator.size()};
  if (communicator.is_inter()) return pending;
  pending.root = root_of(call);
  pending.block_bytes = detail::common_length(rank, pending.root == communicator.rank, call);
  return pending;
}

}  // namespace taihu::mpi::collectives
