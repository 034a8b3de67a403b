// SPDX-License-Identifier: Apache-2.0
// Blocking and non-blocking sends in all modes (MPI-3.1 sections 3.4 and 3.7).
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/work/messages/buffered_sends.h"
#include "taihu/mpi/work/messages/transfer.h"

namespace taihu::mpi::messages {
namespace {

/// Standard sends up to here are buffered wherever they go, unless the user wants it otherwise
/// (TAIHU_EAGER_BYTES); then a report of a deadlock does not tell whom they wait for.
constexpr std::size_t never_waiting_bytes = 64;

inline __attribute__((always_inline)) void send(Rank& rank, Communicator& communicator, const void* address,
                                                MPI_Count count, MPI_Datatype type, int destination, int tag,
                                                message::SendMode mode) {
  const TypedBuffer buffer(rank, address, count, type);
  const int checked_tag = send_tag(tag);
  if (destination == MPI_PROC_NULL) return;
  const int peer = destination_rank(communicator, destination);
  // Short ones never wait for their receiver.
  if (buffer.bytes() > never_waiting_bytes || mode != message::SendMode::standard)
    waits_for(peer, tag, communicator.context, communicator.size());
  if (calls_observed) [[unlikely]]
    note_sent(rank, peer, communicator.context, checked_tag, buffer.bytes());
  rank.endpoint().send(peer, communicator.context, checked_tag, buffer.data(), mode);
}

/// Whether a standard send was complete at once; if not, nothing has happened.
inline __attribute__((always_inline)) bool send_at_once(Rank& rank, Communicator& communicator,
                                                        const TypedBuffer& buffer, int destination, int tag) {
  if (destination == MPI_PROC_NULL) return true;
  const int peer = destination_rank(communicator, destination);
  // Where calls are observed, a send is noted before its message can arrive.
  if (calls_observed) [[unlikely]]
    return false;
  return rank.endpoint().send_at_once(peer, communicator.context, tag, buffer.data());
}

/// Of any mode, to be waited for.
__attribute__((noinline)) void begin_send(Rank& rank, Communicator& communicator, const void* address,
                                          MPI_Count count, MPI_Datatype type, int destination, int tag,
                                          Sending sending, MPI_Request* request) {
  auto transfer = std::make_unique<Transfer>(rank, communicator, address, count, type, Direction::send);
  const int checked_tag = send_tag(tag);
  if (destination != MPI_PROC_NULL) {
    const int peer = destination_rank(communicator, destination);
    transfer->begin(start_send(rank, communicator, transfer->buffer(), peer, checked_tag, sending), peer,
                    tag);
  }
  *request = handle_of<MPI_Request>(transfer.release());
}

inline __attribute__((always_inline)) void isend(Rank& rank, Communicator& communicator, const void* address,
                                                 MPI_Count count, MPI_Datatype type, int destination, int tag,
                                                 Sending sending, MPI_Request* request) {
  {
    const TypedBuffer buffer(rank, address, count, type);
    if (send_at_once(rank, communicator, buffer, destination, send_tag(tag))) [[likely]] {
      *request = handle_of<MPI_Request>(&complete_request(rank));
      return;
    }
  }
  begin_send(rank, communicator, address, count, type, destination, tag, sending, request);
}

}  // namespace

#define COUNTED_CALLS "taihu/mpi/calls/messages/sends.inc"
#include "taihu/mpi/objects/counted_calls.h"

}  // namespace taihu::mpi::messages
