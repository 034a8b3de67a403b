// SPDX-License-Identifier: Apache-2.0
// Persistent requests (MPI-3.1 section 3.9).
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/work/messages/transfer.h"

namespace taihu::mpi::messages {
namespace {

void prepare_send(Rank& rank, Communicator& communicator, const void* address, int count, MPI_Datatype type,
                  int destination, int tag, Sending sending, MPI_Request* request) {
  if (destination != MPI_PROC_NULL) destination_rank(communicator, destination);
  *request = handle_of<MPI_Request>(new PersistentTransfer(
      rank, communicator, address, count, type, Direction::send, sending, destination, send_tag(tag)));
}

}  // namespace

MPI_CALL(int, Send_init,
         (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
          MPI_Request* request)) {
  return on_communicator("MPI_Send_init", comm, [&](Rank& rank, Communicator& communicator) {
    prepare_send(rank, communicator, buf, count, datatype, dest, tag, Sending::standard, request);
  });
}

MPI_CALL(int, Bsend_init,
         (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
          MPI_Request* request)) {
  return on_communicator("MPI_Bsend_init", comm, [&](Rank& rank, Communicator& communicator) {
    prepare_send(rank, communicator, buf, count, datatype, dest, tag, Sending::buffered, request);
  });
}

MPI_CALL(int, Ssend_init,
         (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
          MPI_Request* request)) {
  return on_communicator("MPI_Ssend_init", comm, [&](Rank& rank, Communicator& communicator) {
    prepare_send(rank, communicator, buf, count, datatype, dest, tag, Sending::synchronous, request);
  });
}

MPI_CALL(int, Rsend_init,
         (const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
          MPI_Request* request)) {
  return on_communicator("MPI_Rsend_init", comm, [&](Rank& rank, Communicator& communicator) {
    prepare_send(rank, communicator, buf, count, datatype, dest, tag, Sending::ready, request);
  });
}

MPI_CALL(int, Recv_init,
         (void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
          MPI_Request* request)) {
  return on_communicator("MPI_Recv_init", comm, [&](Rank& rank, Communicator& communicator) {
    if (source != MPI_PROC_NULL) source_rank(communicator, source);
    receive_tag(tag);
    *request = handle_of<MPI_Request>(new PersistentTransfer(
        rank, communicator, buf, count, datatype, Direction::receive, Sending::standard, source, tag));
  });
}

MPI_CALL(int, Start, (MPI_Request * request)) {
  return on_rank("MPI_Start", [&](Rank& rank) {
    checked<Request>(rank, *request, MPI_ERR_REQUEST, "the request is MPI_REQUEST_NULL or not valid")
        .start(rank);
  });
}

MPI_CALL(int, Startall, (int count, MPI_Request array_of_requests[])) {
  return on_rank("MPI_Startall", [&](Rank& rank) {
    require(count >= 0, MPI_ERR_COUNT, "the number of requests is negative");
    for (int i = 0; i < count; ++i) {
      checked<Request>(rank, array_of_requests[i], MPI_ERR_REQUEST,
                       "a request is MPI_REQUEST_NULL or not valid")
          .start(rank);
    }
  });
}

}  // namespace taihu::mpi::messages
