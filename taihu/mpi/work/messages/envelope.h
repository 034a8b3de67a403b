// SPDX-License-Identifier: Apache-2.0
// Ranks and tags of calls turned into those of the message layer, and back.
#pragma once

#include <string>

#include "taihu/message/endpoint.h"
#include "taihu/mpi/error.h"
#include "taihu/mpi/objects/communicator.h"
#include "taihu/mpi/objects/statistics.h"
#include "taihu/mpi/objects/status.h"

namespace taihu::mpi::messages {

[[noreturn]] void refuse_partner(const Communicator& communicator, int partner, bool is_source);
[[noreturn]] void refuse_tag(int tag, bool is_receive);

/// Rank of the job of a destination other than MPI_PROC_NULL.
inline __attribute__((always_inline)) int destination_rank(const Communicator& communicator,
                                                           int destination) {
  const Group& partners = communicator.partners();
  if (destination < 0 || destination >= partners.size()) [[unlikely]]
    refuse_partner(communicator, destination, false);
  return partners.ranks[static_cast<std::size_t>(destination)];
}

/// The same of a source, which may be MPI_ANY_SOURCE.
inline __attribute__((always_inline)) int source_rank(const Communicator& communicator, int source) {
  if (source == MPI_ANY_SOURCE) return message::any_rank;
  const Group& partners = communicator.partners();
  if (source < 0 || source >= partners.size()) [[unlikely]]
    refuse_partner(communicator, source, true);
  return partners.ranks[static_cast<std::size_t>(source)];
}

inline int send_tag(int tag) {
  if (tag < 0) [[unlikely]]
    refuse_tag(tag, false);
  return tag;
}

/// May be MPI_ANY_TAG.
inline __attribute__((always_inline)) int receive_tag(int tag) {
  if (tag >= 0) return tag;
  if (tag != MPI_ANY_TAG) [[unlikely]]
    refuse_tag(tag, true);
  return message::any_tag;
}

/// What a message layer's status means in a communicator; `capacity` is the room of the receive.
inline Outcome outcome_of(const Communicator& communicator, const message::Status& status,
                          std::size_t capacity) noexcept {
  Outcome outcome;
  outcome.cancelled = status.cancelled;
  if (status.cancelled) return outcome;
  outcome.source = communicator.partners().member_of(status.source);
  outcome.tag = status.tag;
  outcome.bytes = static_cast<std::int64_t>(status.bytes < capacity ? status.bytes : capacity);
  if (status.error != message::Error::none)
    outcome.error = status.error == message::Error::truncated ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER;
  return outcome;
}

[[noreturn]] void refuse_received(const Outcome& outcome, const message::Status& status);

/// At the end of a receive that was not cancelled: throws when it has failed; `status` has the length of the
/// message. `number`: of its posting, where calls are traced; 0: now.
inline void check_received(Communicator& communicator, const Outcome& outcome, const message::Status& status,
                           std::uint64_t number = 0) {
  if (calls_observed) [[unlikely]]
    note_received(communicator, status, outcome.bytes, number);
  if (outcome.error != MPI_SUCCESS) [[unlikely]]
    refuse_received(outcome, status);
}

}  // namespace taihu::mpi::messages
