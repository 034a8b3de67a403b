// SPDX-License-Identifier: Apache-2.0
// What the arguments of a collective say that must be the same on all members, for the report of those that
// do not fit together.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "taihu/collective/choice.h"
#include "taihu/mpi/calls/collectives/bytes_sent.h"
#include "taihu/mpi/objects/diagnostics/exchanges.h"
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

namespace detail {

/// Nothing where the arguments will be refused.
inline std::optional<std::vector<ExchangedBlock>> blocks_of_side(Rank& rank, const Communicator& communicator,
                                                                 const Side& side, Form form) {
  if (side.counts.is_null() || (form == Form::with_types && side.types == nullptr)) return std::nullopt;
  std::vector<ExchangedBlock> blocks;
  for (int member = 0; member < communicator.size(); ++member) {
    const auto k = static_cast<std::size_t>(member);
    const std::int64_t bytes =
        length_of(rank, side.counts[k], form == Form::with_types ? side.types[k] : side.type);
    if (bytes < 0) return std::nullopt;
    if (bytes > 0) blocks.push_back({communicator.group->ranks[k], bytes});
    if (blocks.size() > Exchanges::most_blocks) return std::nullopt;  // not kept
  }
  return blocks;
}

}  // namespace detail

/// Keeps what the caller sends and expects where the messages do not tell.
template <class Call>
void keep_exchange(Rank&, const Communicator&, const PendingCollective&, const Call&) noexcept {}
inline void keep_exchange(Rank& rank, const Communicator& communicator, const PendingCollective& pending,
                          const Alltoall& call) {
  if (call.form == Form::equal || communicator.is_inter() || rank.layout().processes == 1 ||
      collective::among_leaders::empty_blocks(communicator.size(), false) == schedule::Nothing::sent)
    return;
  auto received = detail::blocks_of_side(rank, communicator, call.receive, call.form);
  auto sent = call.send.address == MPI_IN_PLACE
                  ? received
                  : detail::blocks_of_side(rank, communicator, call.send, call.form);
  if (received && sent) Exchanges::of(rank).keep({pending, std::move(*sent), std::move(*received)});
}

}  // namespace taihu::mpi::collectives
