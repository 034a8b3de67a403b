// SPDX-License-Identifier: Apache-2.0
// What a trace says about the arguments of a collective.
#pragma once

#include <cstdint>

#include "taihu/mpi/types/datatype.h"
#include "taihu/mpi/work/collectives/collectives.h"

namespace taihu::mpi::collectives {

/// Bytes of one block that the caller sends to each other member (gets from the root, in a broadcast); 0
/// where the arguments name none, such as with MPI_IN_PLACE or a block for each member.
inline std::int64_t block_bytes(Rank& rank, MPI_Count count, MPI_Datatype type) noexcept {
  const Datatype* const known = rank.find<Datatype>(type);
  return known != nullptr && count > 0 ? known->size_bytes * count : 0;
}

inline std::int64_t bytes_sent(Rank&, const Barrier&) noexcept {
  return 0;
}
inline std::int64_t bytes_sent(Rank& rank, const Bcast& call) noexcept {
  return block_bytes(rank, call.count, call.type);
}
inline std::int64_t bytes_sent(Rank& rank, const Alltoall& call) noexcept {
  return call.form == Form::equal ? block_bytes(rank, call.send.count, call.send.type) : 0;
}
inline std::int64_t bytes_sent(Rank& rank, const NeighborAllgather& call) noexcept {
  return block_bytes(rank, call.arguments.send_count, call.arguments.send_type);
}
inline std::int64_t bytes_sent(Rank& rank, const NeighborAlltoall& call) noexcept {
  return bytes_sent(rank, call.arguments);
}
template <class Call>
std::int64_t bytes_sent(Rank& rank, const Call& call) noexcept
  requires requires { call.send_count; }
{
  return block_bytes(rank, call.send_count, call.send_type);
}
template <class Call>
std::int64_t bytes_sent(Rank& rank, const Call& call) noexcept
  requires requires { call.operation; }
{
  return block_bytes(rank, call.count, call.type);
}

template <class Call>
int root_of(const Call& call) noexcept {
  if constexpr (requires { call.root; }) {
    return call.root;
  } else {
    return -1;
  }
}

}  // namespace taihu::mpi::collectives
