// SPDX-License-Identifier: Apache-2.0
// What traces and statistics say about the arguments of a collective.
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

/// Bytes in all blocks of an array that the program passes with counts; 0 where something is not valid.
inline std::int64_t bytes_of_blocks(Rank& rank, const Communicator& communicator, Integers counts,
                                    MPI_Datatype type, const MPI_Datatype* types) noexcept {
  if (counts.is_null()) return 0;
  std::int64_t bytes = 0;
  for (int k = 0; k < communicator.partners().size(); ++k) {
    const auto block = static_cast<std::size_t>(k);
    bytes += block_bytes(rank, counts[block], types != nullptr ? types[block] : type);
  }
  return bytes;
}

/// What statistics count for this member: the bytes that it passes to the collective, all blocks together;
/// for a broadcast what it gets. With MPI_IN_PLACE and in neighbourhoods as `bytes_sent`.
template <class Call>
std::int64_t bytes_of_member(Rank& rank, const Communicator&, const Call& call) noexcept {
  return bytes_sent(rank, call);
}
inline std::int64_t bytes_of_member(Rank& rank, const Communicator& communicator,
                                    const Alltoall& call) noexcept {
  if (call.send.address == MPI_IN_PLACE) return 0;
  if (call.form == Form::equal) return communicator.partners().size() * bytes_sent(rank, call);
  return bytes_of_blocks(rank, communicator, call.send.counts, call.send.type, call.send.types);
}
inline std::int64_t bytes_of_member(Rank& rank, const Communicator& communicator,
                                    const Scatter& call) noexcept {
  const bool is_root = call.root == (communicator.is_inter() ? MPI_ROOT : communicator.rank);
  if (!is_root) return 0;
  return call.with_counts
             ? bytes_of_blocks(rank, communicator, call.send_counts, call.send_type, nullptr)
             : communicator.partners().size() * block_bytes(rank, call.send_count, call.send_type);
}
inline std::int64_t bytes_of_member(Rank& rank, const Communicator& communicator,
                                    const ReduceScatter& call) noexcept {
  return call.with_counts ? bytes_of_blocks(rank, communicator, call.counts, call.type, nullptr)
                          : communicator.size() * block_bytes(rank, call.count, call.type);
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
