// SPDX-License-Identifier: Apache-2.0
// Probes, and receives of messages that a probe has matched (MPI-3.1 section 3.8).
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/work/messages/polling.h"
#include "taihu/mpi/work/messages/transfer.h"

namespace taihu::mpi::messages {
namespace {

/// A message that the program has matched and not yet received.
struct MatchedMessage final : Object {
  static constexpr Kind object_kind = Kind::message;
  MatchedMessage(Communicator& on, message::Message* taken)
      : Object(object_kind), communicator(Reference<Communicator>::to(&on)), message(taken) {
    if (calls_observed) [[unlikely]]
      number = next_message_number(on.owner);
  }

  const Reference<Communicator> communicator;
  message::Message* const message;
  std::uint64_t number = 0;  // where calls are traced
};

constexpr std::size_t any_length = SIZE_MAX;

bool probe(Rank& rank, Communicator& communicator, int source, int tag, MPI_Status* status) {
  message::Status found;
  if (!rank.endpoint().iprobe(source, communicator.context, tag, &found)) return false;
  store(status, outcome_of(communicator, found, any_length));
  return true;
}

bool take(Rank& rank, Communicator& communicator, int source, int tag, MPI_Message* handle,
          MPI_Status* status) {
  message::Status found;
  message::Message* const taken = rank.endpoint().improbe(source, communicator.context, tag, &found);
  if (taken == nullptr) return false;
  store(status, outcome_of(communicator, found, any_length));
  *handle = handle_of<MPI_Message>(new MatchedMessage(communicator, taken));
  return true;
}

MatchedMessage& matched(Rank& rank, MPI_Message handle) {
  return checked<MatchedMessage>(rank, handle, MPI_ERR_ARG, "the message is MPI_MESSAGE_NULL or not valid");
}

}  // namespace

MPI_CALL(int, Probe, (int source, int tag, MPI_Comm comm, MPI_Status* status)) {
  return on_communicator("MPI_Probe", comm, [&](Rank& rank, Communicator& communicator) {
    const int wanted = receive_tag(tag);
    if (source == MPI_PROC_NULL) return store(status, nobody);
    const int peer = source_rank(communicator, source);
    waits_for(peer, tag, communicator.context, communicator.size());
    rank.endpoint().wait_until([&] { return probe(rank, communicator, peer, wanted, status); });
  });
}

MPI_CALL(int, Iprobe, (int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status)) {
  return on_communicator("MPI_Iprobe", comm, [&](Rank& rank, Communicator& communicator) {
    const int wanted = receive_tag(tag);
    if (source == MPI_PROC_NULL) {
      *flag = 1;
      return store(status, nobody);
    }
    *flag = probe(rank, communicator, source_rank(communicator, source), wanted, status) ? 1 : 0;
    if (*flag == 0) found_nothing(rank);
  });
}

MPI_CALL(int, Mprobe, (int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status)) {
  return on_communicator("MPI_Mprobe", comm, [&](Rank& rank, Communicator& communicator) {
    const int wanted = receive_tag(tag);
    if (source == MPI_PROC_NULL) {
      *message = MPI_MESSAGE_NO_PROC;
      return store(status, nobody);
    }
    const int peer = source_rank(communicator, source);
    waits_for(peer, tag, communicator.context, communicator.size());
    rank.endpoint().wait_until([&] { return take(rank, communicator, peer, wanted, message, status); });
  });
}

MPI_CALL(int, Improbe,
         (int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status)) {
  return on_communicator("MPI_Improbe", comm, [&](Rank& rank, Communicator& communicator) {
    const int wanted = receive_tag(tag);
    if (source == MPI_PROC_NULL) {
      *flag = 1;
      *message = MPI_MESSAGE_NO_PROC;
      return store(status, nobody);
    }
    const int peer = source_rank(communicator, source);
    *flag = take(rank, communicator, peer, wanted, message, status) ? 1 : 0;
    if (*flag != 0) return;
    *message = MPI_MESSAGE_NULL;
    found_nothing(rank);
  });
}

#define COUNTED_CALLS "taihu/mpi/calls/messages/probes.inc"
#include "taihu/mpi/objects/counted_calls.h"

}  // namespace taihu::mpi::messages
