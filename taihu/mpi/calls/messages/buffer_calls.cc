// SPDX-License-Identifier: Apache-2.0
// Buffers for MPI_Bsend: attached, flushed, detached (MPI-5.0 section 3.6).
#include <cstring>
#include <limits>

#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/session_call.h"
#include "taihu/mpi/work/messages/buffered_sends.h"

namespace taihu::mpi::messages {
namespace {

template <class Count>
void detach(Rank& rank, BufferSlot& slot, void* place, Count* size) {
  require_pointer(place, "buffer_addr");
  require_pointer(size, "size");
  const AttachedMemory memory = detach_buffer(rank, slot);
  std::memcpy(place, &memory.address, sizeof memory.address);
  // What was attached with a large size has been detached all the same.
  *size = memory.bytes > std::numeric_limits<Count>::max() ? Count{MPI_UNDEFINED}
                                                           : static_cast<Count>(memory.bytes);
}

void begin_flush(Rank& rank, BufferSlot& slot, MPI_Request* request) {
  require_pointer(request, "request");
  *request = handle_of<MPI_Request>(start_flush(rank, slot).give_up());
}

}  // namespace

#define COUNTED_CALLS "taihu/mpi/calls/messages/buffer_calls.inc"
#include "taihu/mpi/objects/counted_calls.h"

MPI_CALL(int, Buffer_flush, (void)) {
  return on_rank("MPI_Buffer_flush", [&](Rank& rank) { flush_buffer(rank, own_buffer_slot(rank)); });
}

MPI_CALL(int, Buffer_iflush, (MPI_Request * request)) {
  return on_rank("MPI_Buffer_iflush", [&](Rank& rank) { begin_flush(rank, own_buffer_slot(rank), request); });
}

MPI_CALL(int, Comm_flush_buffer, (MPI_Comm comm)) {
  return on_communicator("MPI_Comm_flush_buffer", comm, [&](Rank& rank, Communicator& communicator) {
    flush_buffer(rank, communicator.send_buffer);
  });
}

MPI_CALL(int, Comm_iflush_buffer, (MPI_Comm comm, MPI_Request* request)) {
  return on_communicator("MPI_Comm_iflush_buffer", comm, [&](Rank& rank, Communicator& communicator) {
    begin_flush(rank, communicator.send_buffer, request);
  });
}

MPI_CALL(int, Session_flush_buffer, (MPI_Session session)) {
  return on_session("MPI_Session_flush_buffer", session,
                    [&](Rank& rank, Session& of_program) { flush_buffer(rank, of_program.send_buffer); });
}

MPI_CALL(int, Session_iflush_buffer, (MPI_Session session, MPI_Request* request)) {
  return on_session("MPI_Session_iflush_buffer", session, [&](Rank& rank, Session& of_program) {
    begin_flush(rank, of_program.send_buffer, request);
  });
}

}  // namespace taihu::mpi::messages
