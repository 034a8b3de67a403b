// SPDX-License-Identifier: Apache-2.0
// The buffer that a program attaches for MPI_Bsend. The messages are packed into memory of our own; the
// attached buffer is only an allowance: a send whose bytes and overhead do not fit into what is left of it
// fails, as the standard demands.
#pragma once

#include "taihu/mpi/work/messages/typed_buffer.h"

namespace taihu::mpi::messages {

/// Complete when it returns. Throws CallError (MPI_ERR_BUFFER) when the attached buffer is too small.
void send_buffered(Rank& rank, message::Context context, const TypedBuffer& buffer, int peer, int tag);

/// What each message takes of the buffer besides its bytes, MPI_BSEND_OVERHEAD unless set: programs of
/// another ABI count with less. Before ranks run.
void set_buffered_overhead(std::size_t bytes) noexcept;

void attach_buffer(Rank& rank, void* address, int bytes);
/// Waits until all buffered messages are out; gives back what was attached.
void detach_buffer(Rank& rank, void** address, int* bytes);

}  // namespace taihu::mpi::messages
