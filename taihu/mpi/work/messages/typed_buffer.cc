// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/messages/typed_buffer.h"

namespace taihu::mpi::messages {

void TypedBuffer::refuse(const Datatype* type, MPI_Count count) {
  require(count >= 0, MPI_ERR_COUNT, [&] { return "the count " + std::to_string(count) + " is negative"; });
  require(type != nullptr, MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL or not valid");
  throw CallError(MPI_ERR_TYPE, "the datatype is not committed; call MPI_Type_commit first");
}

void TypedBuffer::refuse_missing() {
  throw CallError(MPI_ERR_BUFFER, "the buffer is null, but its count is not zero");
}

}  // namespace taihu::mpi::messages
