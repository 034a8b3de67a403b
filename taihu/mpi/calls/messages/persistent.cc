// SPDX-License-Identifier: Apache-2.0
// Persistent requests (MPI-3.1 section 3.9).
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/work/messages/transfer.h"

namespace taihu::mpi::messages {
namespace {

void prepare_send(Rank& rank, Communicator& communicator, const void* address, MPI_Count count,
                  MPI_Datatype type, int destination, int tag, Sending sending, MPI_Request* request) {
  if (destination != MPI_PROC_NULL) destination_rank(communicator, destination);
  *request = handle_of<MPI_Request>(new PersistentTransfer(
      rank, communicator, address, count, type, Direction::send, sending, destination, send_tag(tag)));
}

}  // namespace

#define COUNTED_CALLS "taihu/mpi/calls/messages/persistent.inc"
#include "taihu/mpi/objects/counted_calls.h"

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
