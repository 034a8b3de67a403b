// SPDX-License-Identifier: Apache-2.0
// Receives, and sends with receives (MPI-3.1 sections 3.2, 3.7 and 3.10).
#include <memory>

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/work/messages/transfer.h"

namespace taihu::mpi::messages {
namespace {

inline __attribute__((always_inline)) std::unique_ptr<Request> irecv(Rank& rank, Communicator& communicator,
                                                                     void* address, MPI_Count count,
                                                                     MPI_Datatype type, int source, int tag) {
  auto receive = std::make_unique<PostedReceive>(rank, communicator, address, count, type);
  const int checked_tag = receive_tag(tag);
  receive->begin(rank, source_rank(communicator, source), checked_tag);
  return receive;
}

/// Both halves of MPI_Isendrecv. The temporary of MPI_Isendrecv_replace lives as long.
struct SendReceive final : Request {
  bool is_complete(Rank& rank) override {
    const bool sent = send == nullptr || send->is_complete(rank);
    return (receive == nullptr || receive->is_complete(rank)) && sent;
  }
  Outcome outcome(Rank& rank) override { return receive == nullptr ? nobody : receive->outcome(rank); }
  Outcome finish(Rank& rank) override {
    if (send != nullptr) send->finish(rank);
    return receive == nullptr ? nobody : receive->finish(rank);
  }
  void abandon(Rank& rank) override {
    wait(rank);
    release();
  }
  Communicator* communicator() noexcept override { return on.get(); }

  Reference<Communicator> on;
  std::unique_ptr<std::byte[]> copy;
  std::unique_ptr<Transfer> send;
  std::unique_ptr<Request> receive;
};

/// A contiguous copy of what a buffer holds.
std::unique_ptr<std::byte[]> packed_copy(const TypedBuffer& buffer) {
  auto copy = std::make_unique_for_overwrite<std::byte[]>(buffer.bytes());
  message::copy_message({copy.get(), buffer.bytes()}, buffer.data(), buffer.bytes());
  return copy;
}

void send_and_receive(Rank& rank, Communicator& communicator, const message::Data& data, int destination,
                      int send_tag_, const message::Space& space, int source, int receive_tag_,
                      MPI_Status* status) {
  const int out_tag = send_tag(send_tag_), in_tag = receive_tag(receive_tag_);
  const int to = destination == MPI_PROC_NULL ? -1 : destination_rank(communicator, destination);
  message::Request* receive = nullptr;
  int from = -1;
  if (source != MPI_PROC_NULL) {
    from = source_rank(communicator, source);
    receive = rank.endpoint().irecv(from, communicator.context, in_tag, space);
  }
  if (destination != MPI_PROC_NULL) {
    waits_for(to, out_tag, communicator.context, communicator.size());
    if (calls_observed) [[unlikely]]
      note_sent(rank, to, communicator.context, out_tag, data.bytes);
    rank.endpoint().send(to, communicator.context, out_tag, data);
  }
  if (source == MPI_PROC_NULL) {
    store(status, nobody);
    return;
  }
  waits_for(from, in_tag, communicator.context, communicator.size());
  message::Status received;
  rank.endpoint().wait(receive, &received);
  const Outcome outcome = outcome_of(communicator, received, space.bytes);
  store(status, outcome);
  check_received(communicator, outcome, received);
}

}  // namespace

#define COUNTED_CALLS "taihu/mpi/calls/messages/receives.inc"
#include "taihu/mpi/objects/counted_calls.h"

}  // namespace taihu::mpi::messages
