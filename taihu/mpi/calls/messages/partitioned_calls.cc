// SPDX-License-Identifier: Apache-2.0
// Partitioned communication (MPI-5.0 section 4.2).
#include <string>

#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/info/info.h"
#include "taihu/mpi/work/messages/partitioned.h"

namespace taihu::mpi::messages {
namespace {

/// There are no hints that it knows.
template <class Kind>
void make(Rank& rank, Communicator& communicator, const Partitions& arguments, MPI_Info info,
          MPI_Request* request) {
  require_pointer(request, "request");
  entries_of(rank, info);
  *request = handle_of<MPI_Request>(new Kind(rank, communicator, arguments));
}

template <class Kind>
Kind& request_argument(Rank& rank, MPI_Request handle, const char* problem) {
  auto* const found = dynamic_cast<Kind*>(
      &checked<Request>(rank, handle, MPI_ERR_REQUEST, "the request is MPI_REQUEST_NULL or not valid"));
  require(found != nullptr, MPI_ERR_REQUEST, problem);
  return *found;
}

PartitionedSend& send_argument(Rank& rank, MPI_Request handle) {
  return request_argument<PartitionedSend>(rank, handle, "the request is not one of MPI_Psend_init");
}

void mark(Rank& rank, PartitionedSend& send, int partition) {
  require_member(partition, send.partitions(), MPI_ERR_ARG, "partition");
  send.ready(rank, partition);
}

}  // namespace

#define COUNTED_CALLS "taihu/mpi/calls/messages/partitioned_calls.inc"
#include "taihu/mpi/objects/counted_calls.h"

MPI_CALL(int, Pready, (int partition, MPI_Request request)) {
  return on_rank("MPI_Pready", [&](Rank& rank) { mark(rank, send_argument(rank, request), partition); });
}

MPI_CALL(int, Pready_range, (int partition_low, int partition_high, MPI_Request request)) {
  return on_rank("MPI_Pready_range", [&](Rank& rank) {
    PartitionedSend& send = send_argument(rank, request);
    for (int partition = partition_low; partition <= partition_high; ++partition) mark(rank, send, partition);
  });
}

MPI_CALL(int, Pready_list, (int length, const int array_of_partitions[], MPI_Request request)) {
  return on_rank("MPI_Pready_list", [&](Rank& rank) {
    PartitionedSend& send = send_argument(rank, request);
    require_not_negative(length, MPI_ERR_ARG, "length");
    if (length != 0) require_pointer(array_of_partitions, "array_of_partitions");
    for (int k = 0; k < length; ++k) mark(rank, send, array_of_partitions[k]);
  });
}

MPI_CALL(int, Parrived, (MPI_Request request, int partition, int* flag)) {
  return on_rank("MPI_Parrived", [&](Rank& rank) {
    require_pointer(flag, "flag");
    *flag = 1;
    if (request == MPI_REQUEST_NULL) return;
    auto& receive =
        request_argument<PartitionedReceive>(rank, request, "the request is not one of MPI_Precv_init");
    require_member(partition, receive.partitions(), MPI_ERR_ARG, "partition");
    *flag = receive.arrived(rank, partition) ? 1 : 0;
    if (*flag == 0) rank.endpoint().progress();
  });
}

}  // namespace taihu::mpi::messages
