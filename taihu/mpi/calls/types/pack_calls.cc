// SPDX-License-Identifier: Apache-2.0
// MPI_Pack and its family. The packed form is the data without gaps, as in a message.
#include <cstring>
#include <limits>

#include "taihu/mpi/calls/types/call_arguments.h"
#include "taihu/mpi/types/external32.h"
#include "taihu/mpi/types/repetition.h"

namespace taihu::mpi {
namespace {

/// Takes `bytes` bytes from a buffer of `size` bytes at `*position`, which moves on; returns where they are.
template <class Position, class Byte>
Byte* take(Byte* buffer, MPI_Aint size, Position* position, std::size_t bytes) {
  require(*position >= 0 && *position <= size, MPI_ERR_ARG, "the position is outside of the packed buffer");
  require(bytes <= static_cast<std::size_t>(size - *position), MPI_ERR_TRUNCATE, [&] {
    return "the packed buffer has " + std::to_string(size - *position) + " bytes left, but the data needs " +
           std::to_string(bytes);
  });
  require(buffer != nullptr || bytes == 0, MPI_ERR_BUFFER, "the packed buffer is null");
  Byte* const place = buffer + *position;
  *position = static_cast<Position>(*position + static_cast<Position>(bytes));
  return place;
}

void check_representation(const char* name) {
  require(name != nullptr && std::strcmp(name, "external32") == 0, MPI_ERR_UNSUPPORTED_DATAREP,
          "the data representation is not \"external32\", the only one for packing");
}

/// The type of a call with `count` elements.
Datatype& counted_argument(Rank& rank, MPI_Datatype handle, MPI_Count count) {
  check_count_argument(count);
  return committed_argument(rank, handle);
}

}  // namespace

#define COUNTED_CALLS "taihu/mpi/calls/types/pack_calls.inc"
#include "taihu/mpi/objects/counted_calls.h"

}  // namespace taihu::mpi
