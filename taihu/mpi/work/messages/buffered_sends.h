// SPDX-License-Identifier: Apache-2.0
// The buffers that a program attaches for MPI_Bsend: to a communicator, to a session, or to all that have
// none (MPI-5.0 section 3.6). The messages are packed into memory of our own; an attached buffer is only an
// allowance: a send whose bytes and overhead do not fit into what is left of it fails, as the standard
// demands. MPI_BUFFER_AUTOMATIC allows everything.
#pragma once

#include <memory>

#include "taihu/mpi/objects/request.h"
#include "taihu/mpi/work/messages/typed_buffer.h"

namespace taihu::mpi::messages {

/// Complete when it returns. Uses the buffer of the communicator, else of its session, else of the rank.
/// Throws CallError (MPI_ERR_BUFFER) when that is too small, or there is none.
void send_buffered(Rank& rank, Communicator& communicator, const TypedBuffer& buffer, int peer, int tag);

/// What each message takes of the buffer besides its bytes, MPI_BSEND_OVERHEAD unless set: programs of
/// another ABI count with less. Before ranks run.
void set_buffered_overhead(std::size_t bytes) noexcept;

/// Where an attached buffer is kept: a member of a communicator or session, or the rank's own.
using BufferSlot = std::shared_ptr<SendBuffer>;
BufferSlot& own_buffer_slot(Rank& rank);

// Any thread of the rank. Error MPI_ERR_BUFFER when a buffer is attached already, or none is.
void attach_buffer(Rank& rank, BufferSlot& slot, void* address, MPI_Count bytes);
struct AttachedMemory {
  void* address;
  MPI_Count bytes;
};
/// Waits until all messages of the buffer are out; gives back what was attached.
AttachedMemory detach_buffer(Rank& rank, BufferSlot& slot);
/// The same for a slot that goes away, whether a buffer is attached or not.
void drop_buffer(Rank& rank, BufferSlot& slot);
/// Complete when all messages are out that the buffer holds now.
Reference<Request> start_flush(Rank& rank, BufferSlot& slot);
void flush_buffer(Rank& rank, BufferSlot& slot);

}  // namespace taihu::mpi::messages
